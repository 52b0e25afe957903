import ArgumentParser
import Patchbay
import PatchbayTerminal

/// The options of every sync command, and how it runs.
struct SyncOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Option(help: ArgumentHelp("Stop after this many requests.", valueName: "count"), limits: 1 ... .max)
    var maxRequests: Int?

    @Flag(help: "Print how many requests the sync needs, as far as that is known, and send none.")
    var plan = false

    @Flag(help: "Start over, and request whole lists even if only new rows could be requested.")
    var restart = false

    @Option(name: .format, help: "The output format of --plan.")
    var format = OutputFormat.table

    /// Creates a sync for each source and runs them one after another, or prints their plans.
    ///
    /// - Parameter resource: the resource whose list is fetched; nil for all resources of all sources.
    func run(
        _ resource: DeclaredResource? = nil,
        _ make: (Gateway, _ start: SyncStart, _ maximumRequests: Int?) throws -> Sync
    ) async throws {
        let start = restart ? SyncStart.theBeginning : .whereItStopped
        if plan {
            return try await configuration.withGatewaysOverWhatIsThere(of: resource, requests) { gateways in
                var plans: [(source: String, plan: SyncPlan)] = []
                for gateway in gateways.all {
                    plans.append((gateway.word, try await make(gateway, start, maxRequests).plan()))
                }
                try SyncOutput.write(plans, as: format)
            }
        }
        let resumption = SyncOutput.resumption(isRestart: restart)
        if RecordCommand.flags.isEmpty {
            Interruption.explain(
                restart
                    ? "stored rows are kept; run the same command without --restart to resume"
                    : "stored rows are kept; run the same command to resume")
        } else {
            Interruption.explain("the exchanges recorded so far are in the file")
        }
        try await configuration.withGateways(of: resource, requests) { gateways in
            try await SyncSeries(gateways, of: resource, limit: maxRequests, resumption: resumption)
                .run { try make($0, start, $1) }
        }
    }
}
