import ArgumentParser
import Patchbay
import PatchbayTerminal

extension StorageCommand {
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copy all rows into another storage of any kind.",
            discussion: """
                Each side is a configuration file or storage:path, as in --to lmdb:users.lmdb. Every collection is \
                copied, whichever program declared it, in its state at the start of the copy; other processes may \
                write to the source meanwhile. The target must be new or empty. To resume an interrupted copy, run the \
                same command again; no other command can use the target until the copy is finished. Running the \
                command after that checks that the target still holds the same rows as the source.
                """)

        @Option(help: ArgumentHelp("Copy this storage; its rows are not changed.", valueName: "storage"))
        var from: String

        @Option(help: ArgumentHelp("Copy into this storage.", valueName: "storage"))
        var to: String

        @Flag(help: "At the end, compare digests of all rows on both sides.")
        var verify = false

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let source = try ChosenStorage(side: from), target = try ChosenStorage(side: to)
            if source.name == target.name {
                throw PatchbayError(
                    .conflict, "source and target are both \(source.name); copy to another path")
            }
            Interruption.explain("run the same command to resume the copy")
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
            try RecordWriter(output.format).write(records, table: Table(columns, of: records))
            let check = verify ? "digests are equal" : "row counts are equal; --verify compares the rows"
            Message.note("\(outcome.wasFinished ? "already " : "")copied to \(target.name), \(check)")
        }
    }
}
