import ArgumentParser
import Patchbay
import PatchbayTerminal

extension RecordingCommand {
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
                try RecordWriter(output.format).write(
                    records, header: Self.columns.map(\.title), table: Table(Self.columns, of: records))
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
