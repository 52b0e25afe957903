import ArgumentParser
import Patchbay
import PatchbayTerminal

extension RecordingCommand {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Summarize a recording by endpoint.",
            discussion: """
                In paths, {id} is a number, {sha} a Git hash, and {name} one of more than 8 names. Pages are answers \
                with a Link to another page; a gap is a next page that was not recorded.
                """)

        @Argument(help: "A HAR file, or a folder of HAR files.", completion: .file())
        var path: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let summary = try RecordingSummary(of: path)
            let records = summary.endpoints.map(Self.record)
            try RecordWriter(output.format).write(
                records, header: Self.names, table: Table(Self.columns, of: records))
            Message.note(Self.line(summary))
        }

        private static let names = [
            "method", "host", "path", "exchanges", "pages", "gaps", "statuses", "first", "last",
        ]

        private static let columns = [
            TableColumn("method"), TableColumn("host"), TableColumn("path", isElastic: true),
            TableColumn("exchanges", alignment: .right), TableColumn("pages", alignment: .right),
            TableColumn("gaps", alignment: .right), TableColumn("statuses"),
            TableColumn("recorded") { String($0["first"].description.prefix(10)) },
        ]

        private static func record(_ endpoint: RecordingSummary.Endpoint) -> OutputRecord {
            let counts = endpoint.counts
            let statuses = counts.statuses.sorted { $0.key < $1.key }.map { status, count in
                count == 1 ? "\(status)" : "\(status) x\(count)"
            }
            return OutputRecord([
                ("method", .text(endpoint.method)), ("host", .text(endpoint.host)),
                ("path", .text(endpoint.path)), ("exchanges", .integer(Int64(counts.exchanges))),
                ("pages", .integer(Int64(counts.pages))), ("gaps", .integer(Int64(counts.gaps))),
                ("statuses", .text(statuses.joined(separator: ", "))),
                ("first", OutputValue(counts.first?.description)),
                ("last", OutputValue(counts.last?.description)),
            ])
        }

        private static func line(_ summary: RecordingSummary) -> String {
            let counts = summary.counts
            let hosts =
                summary.hosts.prefix(5).joined(separator: ", ") + (summary.hosts.count > 5 ? ", ..." : "")
            var parts = [
                "\(Count.words(counts.exchanges, "exchange")) in \(Count.words(summary.files, "file"))",
                hosts.isEmpty ? "no host" : "with \(hosts)",
            ]
            if let first = counts.first, let last = counts.last {
                parts.append("recorded \(first.description.prefix(10)) to \(last.description.prefix(10))")
            }
            parts.append(Count.words(counts.gaps, "gap"))
            if summary.unreadable == 1 { parts.append("1 entry is not a HAR entry") }
            if summary.unreadable > 1 { parts.append("\(summary.unreadable) entries are not HAR entries") }
            return parts.joined(separator: "; ")
        }
    }
}
