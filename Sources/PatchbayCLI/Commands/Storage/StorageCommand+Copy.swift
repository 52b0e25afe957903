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
                Each side is a configuration file or storage:path, as in --to lmdb:users.lmdb. The target must be new \
                or empty. A copy that was interrupted goes on when the same command is run again; at the end the rows \
                of both sides are counted. Until then do not use the target.
                """)

        @Option(help: ArgumentHelp("Copy this storage; none of its rows is changed.", valueName: "storage"))
        var from: String

        @Option(help: ArgumentHelp("Copy into this storage.", valueName: "storage"))
        var to: String

        @Flag(help: "Compare digests of all rows on both sides at the end.")
        var verify = false

        @Option(help: "How to print what was copied.")
        var format = OutputFormat.table

        func run() async throws {
            let source = try ChosenStorage(side: from).required(), target = try ChosenStorage(side: to)
            if source.name == target.name {
                throw PatchbayError(
                    .conflict, "source and target are both \(source.name); copy to another path")
            }
            Interruption.explain("the same command goes on with the copy")
            let copy = CopyStorage(.gateway, from: source.name, try await source.make()) {
                try await target.make()
            }
            let copied = try await ProgressBar.errors.showing {
                try await copy.run(isVerified: verify, progress: $0)
            }
            let records = copied.filter { $0.rows > 0 }.map {
                OutputRecord([
                    ("collection", .text($0.collection.name)), ("rows", .integer(Int64($0.rows))),
                    ("digest", OutputValue($0.digest?.description)),
                ])
            }
            let columns = [
                TableColumn("collection"), TableColumn("rows", alignment: .right), TableColumn("digest"),
            ]
            try RecordWriter(format).write(records, table: Table(columns, of: records))
            let check = verify ? "their digests are equal" : "as many as there; --verify compares them"
            Message.write("copied to \(target.name), \(check)")
        }
    }
}
