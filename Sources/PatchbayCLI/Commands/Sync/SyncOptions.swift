import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What every sync takes, and how it is run.
struct SyncOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Option(help: ArgumentHelp("End after this many requests.", valueName: "count"), limits: 1 ... .max)
    var maxRequests: Int?

    @Flag(help: "Say what it will cost, as far as that is known, and send no request.")
    var plan = false

    @Flag(help: "Start over, even if an interrupted sync could continue.")
    var restart = false

    @Option(name: .shortAndLong, help: "How to print the plan.")
    var format = OutputFormat.table

    /// Makes the sync of each source and runs them one after another, or shows their plans.
    ///
    /// - Parameter resource: the resource whose list is fetched; nil for all of them, of all sources.
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
        if RecordCommand.flags.isEmpty {
            Interruption.explain("what was stored stays, and the same command goes on from there")
        } else {
            Interruption.explain("what was recorded until now is in the file")
        }
        guard let resource else {
            return try await configuration.withGateways(requests) { gateways in
                try await SyncSeries(gateways, limit: maxRequests).run { try make($0, start, $1) }
            }
        }
        try await configuration.withGateway(of: resource, requests) { gateway in
            let sync = try make(gateway, start, maxRequests)
            if !TerminalOptions.isQuiet { Message.write(SyncOutput.line(try await sync.plan())) }
            try await SyncRun(
                gateway: gateway, sync: sync, resource: try gateway.resource(resource.declaration.name)
            ).run()
        }
    }
}
