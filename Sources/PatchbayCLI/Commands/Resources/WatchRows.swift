import ArgumentParser
import Patchbay
import PatchbaySystem
import PatchbayTerminal

/// `patchbay watch users`.
struct WatchRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print every change to stored rows as a line of JSON, until Ctrl-C.",
        discussion: """
            The rows that are already stored come first, as inserts. Changes are printed when this or another process \
            commits them; a state that is replaced before it could be printed is left out. The source is not queried.

            The rows with the smallest keys are watched, up to the limit. One that a new row pushes out of them counts \
            as deleted; "patchbay changes --follow" prints the changes of all rows.
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print only changes, not the rows that are stored at the start.")
    var changesOnly = false

    @Option(
        name: .limit, help: ArgumentHelp("Watch at most this many rows.", valueName: "count"),
        limits: 1...Limits.pageRows)
    var limit = Limits.pageRows

    @Option(help: ArgumentHelp("Watch rows whose key is greater than this.", valueName: "key"))
    var after: String?

    func run(on declared: DeclaredResource) async throws {
        Interruption.explain("nothing was changed")
        try await options.withGateway(of: declared, isOffline: true) { gateway in
            let resource = try gateway.resource(declared.declaration.name)
            let changes = gateway.watch(resource, after: try key(in: resource), limit: limit)
            try await StandardStream.output.whileRead { [changesOnly, limit] in
                try await changes.write(of: resource, changesOnly: changesOnly, limit: limit)
            }
        }
    }

    /// - Throws: `invalidValue` for a word that is not a key.
    private func key(in resource: Resource) throws -> Key? {
        guard let after else { return nil }
        guard let key = KeyText.key(after, of: resource) else {
            let names = resource.key.map(\.name).joined(separator: "/")
            throw PatchbayError(
                .invalidValue, "\"\(after)\" is not a key of \(resource.plural); write \(names)")
        }
        return key
    }
}

extension ItemChanges {
    /// Prints the changes as they arrive.
    fileprivate func write(of resource: Resource, changesOnly: Bool, limit: Int) async throws {
        let writer = RecordWriter(.jsonl), output = ItemRecords(resource.declaration)
        var isFirst = true
        for try await changes in self {
            if !(isFirst && changesOnly) {
                try writer.write(changes.map(output.record), table: Table([], rows: []))
            }
            if isFirst {
                let part = changes.count == limit ? "only the first " : ""
                Message.note("watching \(part)\(resource.counted(changes.count)); Ctrl-C quits")
            }
            isFirst = false
        }
    }
}

extension StandardStream {
    /// Runs `body`, and throws ``BrokenPipe`` within a second after the reader has gone, even when nothing is written.
    func whileRead(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [descriptor] group in
            group.addTask { try await body() }
            group.addTask {
                while !Descriptor.isReaderGone(descriptor) { try await Task.sleep(for: .milliseconds(500)) }
                throw BrokenPipe()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
