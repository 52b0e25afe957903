import ArgumentParser
import Patchbay

/// `patchbay users watch`.
struct WatchRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "watch",
            abstract:
                "Print every change to stored \(Place.declaration.plural) as a line of JSON, until Ctrl-C.",
            discussion: """
                The \(Place.declaration.plural) that are already stored come first, as inserts. Changes are printed \
                when this or another process commits them; a state that is replaced before it could be printed is \
                left out. The source is not queried.
                """)
    }

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print only changes, not the rows that are stored at the start.")
    var changesOnly = false

    @Option(
        name: .limit, help: ArgumentHelp("Watch at most this many rows.", valueName: "count"),
        limits: 1...Limits.pageRows)
    var limit = Limits.pageRows

    @OptionGroup var start: WatchStart<Place>

    func run() async throws {
        Interruption.explain("nothing was changed")
        try await options.withGateway(of: Place.resource, isOffline: true) { gateway in
            let resource = try gateway.resource(Place.declaration.name)
            let changes = gateway.watch(resource, after: try start.key(in: resource), limit: limit)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [changesOnly] in
                    try await changes.write(of: resource, changesOnly: changesOnly)
                }
                group.addTask { try await StandardStream.output.waitUntilReaderIsGone() }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

/// `--after`: the key after which rows are watched.
struct WatchStart<Place: ResourcePlace>: DeclaredArguments {
    private var number: Int64?
    private var word: String?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        if Self.isNumber {
            number = try container.decode(Option<Int64>.self, forKey: OptionWord("after")).wrappedValue
        } else {
            word = try container.decode(Option<String?>.self, forKey: OptionWord("after")).wrappedValue
        }
    }

    static var declared: [(word: String, option: Any)] {
        let key = Place.declaration.key.joined(separator: "/")
        let help = ArgumentHelp(
            "Watch \(Place.declaration.plural) whose \(key) is greater than this.", valueName: key)
        let option: Any =
            isNumber
            ? Option<Int64>(wrappedValue: 0, help: help, limits: 0 ... .max)
            : Option<String?>(name: .customLong("after"), help: help)
        return [("after", option)]
    }

    private static var isNumber: Bool {
        let key = Place.declaration.key
        return key.count == 1 && ItemColumns(Place.declaration).type(key[0]) == .integer
    }

    /// - Throws: `invalidValue` for a word that is not a key.
    func key(in resource: Resource) throws -> Key? {
        if let number { return number == 0 ? nil : .integer(number) }
        guard let word else { return nil }
        guard let key = KeyText.key(word, of: resource) else {
            let names = resource.key.map(\.name).joined(separator: "/")
            throw PatchbayError(
                .invalidValue, "\"\(word)\" is not a key of \(resource.plural); write \(names)")
        }
        return key
    }
}

extension ItemChanges {
    /// Prints the changes as they arrive.
    fileprivate func write(of resource: Resource, changesOnly: Bool) async throws {
        let writer = RecordWriter(.ndjson), output = ItemRecords(resource.declaration)
        var isFirst = true
        for try await changes in self {
            if !(isFirst && changesOnly) {
                try writer.write(changes.map(output.record), table: Table([], rows: []))
            }
            if isFirst { Message.note("watching \(resource.counted(changes.count)); Ctrl-C quits") }
            isFirst = false
        }
    }
}

extension StandardStream {
    /// Throws ``BrokenPipe`` within a second after the reader has gone, even when nothing is written.
    fileprivate func waitUntilReaderIsGone() async throws {
        while !POSIX.isReaderGone(descriptor) { try await Task.sleep(for: .milliseconds(500)) }
        throw BrokenPipe()
    }
}
