import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension StorageCommand {
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy all rows into another storage, of whatever kind.",
            discussion: """
                Each side is a configuration file or storage:path, as in --to lmdb:users.lmdb. Every collection is \
                copied, whichever program declared it, as of the moment when the copy begins; others may write to the \
                source meanwhile. The target must be new or empty. A copy that was interrupted resumes when the same \
                command is run again; until it is finished no other command uses the target. Run once more, the \
                command checks that the finished copy still holds what the source does.
                """)

        @Option(help: ArgumentHelp("Copy this storage; none of its rows is changed.", valueName: "storage"))
        var from: String

        @Option(help: ArgumentHelp("Copy into this storage.", valueName: "storage"))
        var to: String

        @Flag(help: "Compare digests of all rows on both sides at the end.")
        var verify = false

        @Option(name: .shortAndLong, help: "How to print what was copied.")
        var format = OutputFormat.table

        @OptionGroup var terminal: TerminalOptions

        func run() async throws {
            let source = try ChosenStorage(side: from), target = try ChosenStorage(side: to)
            if source.name == target.name {
                throw PatchbayError(
                    .conflict, "source and target are both \(source.name); copy to another path")
            }
            Interruption.explain("the same command resumes the copy")
            let copy = CopyStorage(from: source.name, try await source.make(.reading)) {
                try await target.make(.creating)
            }
            let outcome = try await ProgressBar.errors.showing {
                try await copy.run(isVerified: verify, progress: $0)
            }
            let records = outcome.collections.filter { $0.rows > 0 }.map {
                OutputRecord([
                    ("collection", .text($0.collection.name)), ("rows", .integer(Int64($0.rows))),
                    ("digest", OutputValue($0.digest?.description)),
                ])
            }
            let columns = [
                TableColumn("collection"), TableColumn("rows", alignment: .right), TableColumn("digest"),
            ]
            try RecordWriter(format).write(records, table: Table(columns, of: records))
            let check = verify ? "digests are equal" : "as many rows as there; --verify compares them"
            Message.note("\(outcome.wasFinished ? "already " : "")copied to \(target.name), \(check)")
        }
    }
}
