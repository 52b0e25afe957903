import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay sync`: fetches complete lists page by page, storing each page before requesting the next.
struct SyncCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Fetch complete lists into the storage, resuming where an earlier sync stopped.",
        discussion: """
            Each page is stored in one transaction with the position where the list continues. After Ctrl-C, a \
            kill or a rate limit, the same command resumes after the last stored page. Once the end has been \
            reached, the same command checks from the start whether anything has changed, which costs no budget \
            if nothing has; if the definition of the list supports it (since), only new rows are requested.

            Without a resource, sync fetches every list that needs no argument, then the lists of every stored \
            row, such as the commits of all repositories. A list whose definition calls it too long, such as all \
            users of GitHub, is fetched only by name. A list that the source refuses is skipped. Several sources \
            are synced one after another, and if one fails, the others are still synced.

            The exit status is 0 when everything else is complete, and when --max-requests was reached. It is \
            \(ExitStatus.incomplete.rawValue) when an answer shows that rows of a list are missing.

              patchbay sync users
              patchbay sync repos Marlow-Quern
              patchbay sync repos apple --by org --source github
            """)

    static let needsResources = true

    @Argument(help: "The resource; all of them when left out.", completion: .resources)
    var resource: String?

    @OptionGroup var arguments: ListArguments
    @OptionGroup var sync: SyncOptions

    @Flag(help: "Also fetch the details of each row that has none.")
    var details = false

    var options: ConfigurationOptions { sync.configuration }
    var resourceWord: String? { resource }

    func run() async throws {
        guard let resource else {
            if arguments.view != nil { throw ValidationError("--by needs a resource") }
            if details { throw ValidationError("--details needs a resource") }
            return try await sync.run { gateway, start, maximumRequests in
                gateway.syncAll(from: start, maximumRequests: maximumRequests)
            }
        }
        try await run(on: try DeclaredResource(named: resource))
    }

    private func run(on declared: DeclaredResource) async throws {
        let list = try arguments.list(of: declared, mayOmitParent: true)
        if details, declared.declaration.show == nil {
            throw ValidationError("\(declared.declaration.plural) have no details to fetch")
        }
        try await sync.run(declared) { gateway, start, maximumRequests in
            let resource = try gateway.resource(declared.declaration.name)
            if list.hasEach, arguments.words.isEmpty {
                return gateway.syncEach(resource, from: start, maximumRequests: maximumRequests)
            }
            guard !list.hasOnlyParent || !arguments.words.isEmpty else {
                return gateway.syncChildren(
                    resource, list: list.list.name, from: start, maximumRequests: maximumRequests)
            }
            return gateway.sync(
                try arguments.question(gateway, list), from: start, details: details,
                maximumRequests: maximumRequests)
        }
    }
}

/// The options of every sync command, and how it runs.
struct SyncOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Option(
        help: ArgumentHelp(
            "Stop after this many requests, without those that are repeated after a failure.",
            valueName: "count"), limits: 1 ... .max)
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
