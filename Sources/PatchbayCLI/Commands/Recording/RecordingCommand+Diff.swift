import ArgumentParser
import Patchbay
import PatchbayTerminal

extension RecordingCommand {
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff", abstract: "Compare two recordings.",
            discussion: """
                Lists the requests that only one recording contains and, for the others, the first difference between \
                the answers: in the status, a JSON member or a header. Headers that change with every request are \
                ignored: dates, budgets and server names. The exit status is \(ExitStatus.conflict.rawValue) when the \
                recordings differ.
                """)

        @Argument(help: "A HAR file, or a folder of HAR files.", completion: .file())
        var first: String

        @Argument(help: "The recording to compare it with.", completion: .file())
        var second: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let (differences, count) = try RecordingDifference.between(first, second)
            let records = differences.map {
                OutputRecord([
                    ("difference", .text($0.kind.rawValue)), ("request", .text($0.request)),
                    ("detail", OutputValue($0.detail)),
                ])
            }
            if !records.isEmpty || output.format == .json {
                let columns = [
                    TableColumn("difference"), TableColumn("request", wraps: true),
                    TableColumn("detail", wraps: true),
                ]
                try RecordWriter(output.format).write(
                    records, header: columns.map(\.title), table: Table(columns, of: records))
            }
            Message.note(count == 0 ? "no differences" : Count.words(count, "difference"))
            if count > 0 { throw ExitStatus.conflict }
        }
    }
}
