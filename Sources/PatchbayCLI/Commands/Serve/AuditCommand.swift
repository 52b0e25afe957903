import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayServer
import PatchbayTerminal

/// `patchbay audit`: prints what clients of `patchbay serve` have used.
struct AuditCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show what the clients of \"patchbay serve\" have used, by hour.")

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "Only hours from this time on: 2026-11-28 or 2026-11-28T13:00:00Z.", valueName: "time"))
    var since: String?

    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    func run() async throws {
        let start = try since.map { text in
            guard let time = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") else {
                throw PatchbayError(
                    .invalidValue,
                    "--since: \(Quotation.quoted(text)) is not a time such as 2026-11-28T13:00:00Z")
            }
            return time
        }
        let uses = try await ChosenStorage(try options.load()).withStore(GatewayServer.schema, .reading) {
            try await ServedUse.all(since: start ?? Timestamp(milliseconds: 0), in: $0)
        }
        let records = uses.map { use in
            OutputRecord([
                ("hour", .text(use.line.hour.description)), ("client", .text(use.line.client)),
                ("operation", .text(use.line.operation)), ("resource", .text(use.line.resource)),
                ("calls", .integer(use.amounts.calls)), ("failures", .integer(use.amounts.failures)),
                ("rows", .integer(use.amounts.rows)), ("bytes", .integer(use.amounts.bytes)),
                ("requests", .integer(use.amounts.requests)),
                ("milliseconds", .integer(use.amounts.milliseconds)),
            ])
        }
        let columns = [
            TableColumn("hour"), TableColumn("client"), TableColumn("operation"), TableColumn("resource"),
            TableColumn("calls", alignment: .right), TableColumn("failures", alignment: .right),
            TableColumn("rows", alignment: .right), TableColumn("bytes", alignment: .right),
            TableColumn("requests", alignment: .right),
            TableColumn("ms", alignment: .right, field: "milliseconds"),
        ]
        try RecordWriter(format).write(records, header: Self.names, table: Table(columns, of: records))
        if records.isEmpty { Message.note("no calls are noted") }
    }

    private static let names = [
        "hour", "client", "operation", "resource", "calls", "failures", "rows", "bytes", "requests",
        "milliseconds",
    ]
}
