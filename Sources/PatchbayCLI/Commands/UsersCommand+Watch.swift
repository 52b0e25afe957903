import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension UsersCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every change of the stored users as a JSON line, until Ctrl-C.",
            discussion: """
                The users that are there come first, as inserts. Changes are told when they are committed, by this \
                process or another one; what was replaced before it could be told is left out. The source is not asked.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print changes alone, and not the users that are there when it starts.")
        var changesOnly = false

        @Option(help: ArgumentHelp("Watch this many.", valueName: "count"), limits: 1...Limits.pageRows)
        var limit = Limits.pageRows

        @Option(help: ArgumentHelp("Watch users whose ids are greater.", valueName: "id"), limits: 0 ... .max)
        var after: Int64 = 0

        func run() async throws {
            Interruption.explain("watching has changed nothing")
            try await options.withGateway(isOffline: true) { gateway in
                let changes = gateway.watchUsers(after: after, limit: limit)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { [changesOnly] in try await Watch.tell(changes, changesOnly: changesOnly) }
                    group.addTask { try await StandardStream.output.waitUntilReaderIsGone() }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }

        private static func tell(_ changes: UserChanges, changesOnly: Bool) async throws {
            let writer = RecordWriter(.ndjson)
            var isFirst = true
            for try await changes in changes {
                if !(isFirst && changesOnly) {
                    try writer.write(changes.map(UserOutput.record), table: Table([], rows: []))
                }
                if isFirst {
                    Message.write(
                        "watching \(changes.count == 1 ? "1 user" : "\(changes.count) users"); Ctrl-C ends")
                }
                isFirst = false
            }
        }
    }
}

extension StandardStream {
    /// Throws ``BrokenPipe`` within a second after the reader has gone, also when there is nothing to write.
    fileprivate func waitUntilReaderIsGone() async throws {
        while !POSIX.isReaderGone(descriptor) { try await Task.sleep(for: .milliseconds(500)) }
        throw BrokenPipe()
    }
}
