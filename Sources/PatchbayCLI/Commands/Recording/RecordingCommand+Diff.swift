import PatchbayGateway
import ArgumentParser
import Patchbay
import PatchbayCore

extension RecordingCommand {
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare two recordings.",
            discussion: """
                Tells which requests only one of them holds, and what is different first in an answer: the status, the \
                JSON member, the header. Headers that change with each request do not count: dates, budgets, names of \
                servers. The status is \(ExitStatus.conflict.rawValue) when they differ.
                """)

        @Argument(help: "A HAR file, or a folder with some.")
        var first: String

        @Argument(help: "What to compare it with.")
        var second: String

        @Option(name: .shortAndLong, help: "How to print.")
        var format = OutputFormat.table

        @OptionGroup var terminal: TerminalOptions

        func run() throws {
            let (differences, count) = try RecordingDifference.between(first, second)
            let records = differences.map {
                OutputRecord([
                    ("difference", .text($0.kind.rawValue)), ("request", .text($0.request)),
                    ("detail", OutputValue($0.detail)),
                ])
            }
            if !records.isEmpty || format == .json {
                let columns = [
                    TableColumn("difference"), TableColumn("request", wraps: true),
                    TableColumn("detail", wraps: true),
                ]
                try RecordWriter(format).write(
                    records, header: columns.map(\.title), table: Table(columns, of: records))
            }
            Message.note(count == 0 ? "no differences" : Count.words(count, "difference"))
            if count > 0 { throw ExitStatus.conflict }
        }
    }
}
