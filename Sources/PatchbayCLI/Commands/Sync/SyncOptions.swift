import ArgumentParser
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

    /// Makes the sync and runs it to its end, or shows its plan.
    ///
    /// - Parameter resource: the name of the resource whose list is fetched; nil for all of them.
    func run(
        _ resource: String? = nil,
        _ make: (Gateway, _ start: SyncStart, _ maximumRequests: Int?) throws -> Sync
    ) async throws {
        let start = restart ? SyncStart.theBeginning : .whereItStopped
        if plan {
            return try await configuration.withGatewayOverWhatIsThere(requests) { gateway in
                try SyncOutput.write(await make(gateway, start, maxRequests).plan(), as: format)
            }
        }
        if RecordCommand.flags.isEmpty {
            Interruption.explain("what was stored stays, and the same command goes on from there")
        } else {
            Interruption.explain("what was recorded until now is in the file")
        }
        try await configuration.withGateway(requests) { gateway in
            let sync = try make(gateway, start, maxRequests)
            if !TerminalOptions.isQuiet { Message.write(SyncOutput.line(try await sync.plan())) }
            try await SyncRun(
                gateway: gateway, sync: sync, resource: resource.map { try gateway.resource($0) }
            ).run()
        }
    }
}
