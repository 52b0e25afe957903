import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay recording`: the commands for recorded exchanges.
struct RecordingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recording", abstract: "Summarize, check or compare recordings (HAR 1.2).",
        subcommands: [Show.self, Check.self, Diff.self])

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
            try RecordWriter(output.format).write(records, header: Self.names, columns: Self.columns)
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

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check that a recording is complete and contains no secrets.",
            discussion: """
                Finds files that are not HAR, exchanges that cannot be replayed, lists whose next page was not \
                recorded, and secrets, which are recognized by the names of headers and parameters and by the shapes \
                of tokens. The place of a secret is printed, never the secret itself. At most \
                \(RecordingCheck.faultsMax) faults go to standard output. The exit status is \
                \(RecordingFault.Kind.secret.status.rawValue) with a secret, else \
                \(RecordingFault.Kind.damage.status.rawValue) with damage, else \
                \(RecordingFault.Kind.gap.status.rawValue) with a gap, as in a list that was recorded in part.
                """)

        @Argument(help: "A HAR file, or a folder of HAR files.", completion: .file())
        var path: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let check = try RecordingCheck(of: path)
            let records = check.faults.map(Self.record)
            if !records.isEmpty || output.format == .json {
                try RecordWriter(output.format).write(records, columns: Self.columns)
            }
            let kinds = [RecordingFault.Kind.secret, .damage, .gap].filter { check.counts[$0] != nil }
            let found = kinds.map { Count.words(check.counts[$0]!, $0.noun) }
            let seen = "\(Count.words(check.exchanges, "exchange")) in \(Count.words(check.files, "file"))"
            Message.note("\(found.isEmpty ? "no faults" : found.joined(separator: ", ")) in \(seen)")
            if let worst = kinds.first { throw worst.status }
        }

        private static let columns = [
            TableColumn("file", wraps: true), TableColumn("entry", alignment: .right), TableColumn("kind"),
            TableColumn("place", wraps: true), TableColumn("message", wraps: true),
        ]

        private static func record(_ fault: RecordingFault) -> OutputRecord {
            OutputRecord([
                ("file", .text(fault.file)), ("entry", OutputValue(fault.entry.map(Int64.init))),
                ("kind", .text(fault.kind.rawValue)), ("place", OutputValue(fault.place)),
                ("message", .text(fault.message)),
            ])
        }
    }
}

extension RecordingFault.Kind {
    fileprivate var status: ExitStatus {
        switch self {
        case .secret: .invalidValue
        case .damage: .corrupted
        case .gap: .notFound
        }
    }

    fileprivate var noun: String {
        switch self {
        case .secret: "secret"
        case .damage: "damaged place"
        case .gap: "gap"
        }
    }
}

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
                try RecordWriter(output.format).write(records, columns: columns)
            }
            Message.note(count == 0 ? "no differences" : Count.words(count, "difference"))
            if count > 0 { throw ExitStatus.conflict }
        }
    }
}
