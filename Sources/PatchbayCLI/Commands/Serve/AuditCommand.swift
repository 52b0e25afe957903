import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayServer
import PatchbayTerminal

/// `patchbay audit`: prints what clients of `patchbay serve` and agents of `patchbay mcp` have used.
struct AuditCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what clients and agents have used, by hour.")

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Only hours from this time on: 2026-11-28 or 2026-11-28T13:00:00Z.", valueName: "time"))
    var since: String?

    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    func run() async throws {
        let start = try since.map { text in
            guard let time = Timestamp(text) else {
                throw PatchbayError(
                    .invalidValue,
                    "--since: \(Quotation.quoted(text)) is not a time such as 2026-11-28T13:00:00Z")
            }
            return time
        }
        let uses = try await ChosenStorage(try options.load()).withStore(GatewayServer.schema, .reading) {
            try await ServedUse.all(since: start ?? Timestamp(milliseconds: 0), in: $0)
        }
        let records = uses.map { use in OutputRecord(Self.fields.map { ($0.name, $0.value(use)) }) }
        let columns = Self.fields.map { field in
            TableColumn(
                field.name == "milliseconds" ? "ms" : field.name, alignment: field.isNumber ? .right : .left,
                field: field.name)
        }
        try RecordWriter(format).write(records, header: Self.fields.map(\.name), columns: columns)
        if records.isEmpty { Message.note("no calls are noted") }
    }

    private static let fields: [(name: String, isNumber: Bool, value: @Sendable (ServedUse) -> OutputValue)] =
        [
            ("hour", false, { .text($0.line.hour.description) }),
            ("client", false, { .text($0.line.client) }),
            ("operation", false, { .text($0.line.operation) }),
            ("resource", false, { .text($0.line.resource) }),
            ("calls", true, { .integer($0.amounts.calls) }),
            ("failures", true, { .integer($0.amounts.failures) }),
            ("rows", true, { .integer($0.amounts.rows) }), ("bytes", true, { .integer($0.amounts.bytes) }),
            ("requests", true, { .integer($0.amounts.requests) }),
            ("milliseconds", true, { .integer($0.amounts.milliseconds) }),
        ]
}
