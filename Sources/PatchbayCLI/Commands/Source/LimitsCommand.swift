import ArgumentParser
import Patchbay
import PatchbayNetworking
import PatchbayTerminal

/// `patchbay limits`: shows how many requests are left.
struct LimitsCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits", abstract: "Show the source's rate limits and what is left of them.",
        discussion: """
            Sends one request, which GitHub does not count; --offline shows the limits from the last answers.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Flag(help: "Show stored data only; the source is not opened.")
    var offline = false

    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    func run() async throws {
        let (records, failure) =
            offline
            ? try await options.withGateways(isOffline: true) {
                (try await LimitOutput.stored($0.store), nil)
            }
            : try await options.withGatewaysOverWhatIsThere(requests) { try await LimitOutput.requested($0) }
        let columns = [
            TableColumn("server", isElastic: true), TableColumn("token"), TableColumn("resource"),
            TableColumn("left", alignment: .right, field: "remaining"),
            TableColumn("of", alignment: .right, field: "limit"),
            TableColumn("resets at", field: "resets_at"),
        ]
        try RecordWriter(format).write(records, header: LimitOutput.names, columns: columns)
        if let failure { throw ExitStatus(failure.code) }
        if records.isEmpty {
            Message.note(
                offline ? "no limits are known: none was reported, or all have been reset" : "no limits")
        }
    }
}

/// Limits as records.
private enum LimitOutput {
    static let names = ["server", "token", "resource", "limit", "remaining", "resets_at"]

    /// Requests the limits of all sources. If there are several, one without limits is left out, and the first failure
    /// is returned after all were reported.
    static func requested(_ gateways: Gateways) async throws -> ([OutputRecord], failure: PatchbayError?) {
        let counting = gateways.all.filter { $0.source.status != nil }
        var records: [OutputRecord] = [], failure: PatchbayError?
        for gateway in counting.isEmpty ? gateways.all : counting {
            do {
                records += try await requested(gateway.source)
            } catch let error as PatchbayError where gateways.all.count > 1 {
                Message.write("patchbay: \(gateways.prefix(gateway))\(error.oneLine)")
                failure = failure ?? error
            }
        }
        return (records, failure)
    }

    private static func requested(_ source: Source) async throws -> [OutputRecord] {
        guard let status = source.status else {
            throw PatchbayError(
                .unsupported,
                source.requests == nil
                    ? "the source \(source.name) has no limits"
                    : "the definition of \(source.name) names no \"check\" to request; --offline shows the limits of "
                        + "the last answers")
        }
        return try await status().limits.map {
            record(source.name, "", $0.resource, $0.limit, $0.remaining, $0.resetsAt)
        }
    }

    static func stored(_ store: Store) async throws -> [OutputRecord] {
        try await store.budgetsInForce().map {
            record($0.origin, $0.token, $0.resource, $0.limit, $0.remaining, $0.resetsAt)
        }
    }

    private static func record(
        _ server: String, _ token: String, _ resource: String, _ limit: Int64, _ remaining: Int64,
        _ resetsAt: Timestamp?
    ) -> OutputRecord {
        OutputRecord([
            ("server", .text(server)), ("token", .text(token)), ("resource", .text(resource)),
            ("limit", .integer(limit)), ("remaining", .integer(remaining)),
            ("resets_at", OutputValue(resetsAt?.description)),
        ])
    }
}

extension Store {
    /// Returns the stored budgets, except those that have been reset since or that no answer has reported.
    func budgetsInForce() async throws -> [StoredBudget] {
        guard schema.collections.contains(StoredBudget.collection) else { return [] }
        let budgets = try await read {
            try $0.list(StoredBudget.self, Query(StoredBudget.collection, limit: Limits.pageRows))
        }
        let now = Timestamp.now()
        return budgets.filter { $0.isInForce(at: now) }
    }
}
