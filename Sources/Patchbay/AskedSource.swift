public import PatchbayCore
public import PatchbayDomain
import PatchbayNetworking
import Synchronization

extension Plugin where Product == ConfiguredSource {
    /// An API, asked over the network when a use case asks, and not before.
    ///
    /// The plugin has the API's name. Its requests pass all layers: they share answers, follow redirects, try again,
    /// keep to rate limits, send a token to its own server only, and can be recorded.
    public static func asking(_ api: SourceAPI) -> Plugin<ConfiguredSource> {
        Plugin(
            api.name, api.definition.summary ?? "the resources of the API \(api.name)",
            options: [PluginOption("base-url", .text, default: api.definition.baseURL, api.baseURLHelp)]
                + askedOptions
        ) { settings in try ConfiguredSource(asking: api, settings) }
    }

    /// An API that a definition describes: one that is bundled, or a file of the user's own.
    ///
    ///     source = rest
    ///     source.definition = gitlab.conf
    ///
    /// - Parameters:
    ///   - bundled: the APIs that `source.definition` may name.
    ///   - describe: makes an API of a definition.
    public static func rest(
        bundled: [SourceAPI], describe: @escaping @Sendable (Definition) -> SourceAPI
    ) -> Plugin<ConfiguredSource> {
        let names = bundled.map(\.name).joined(separator: ", ")
        return Plugin(
            "rest", "any REST API that a definition describes",
            options: [
                PluginOption(
                    "definition", .text, "a definition's file, or the name of a bundled one: \(names)"),
                PluginOption("base-url", .text, "where the API is; the definition's address when not set"),
            ] + askedOptions
        ) { settings in
            let name = try settings.requiredText("definition")
            if let api = bundled.first(where: { $0.name == name }) {
                return try ConfiguredSource(asking: api, settings)
            }
            guard name.contains("/") || name.contains(".") else {
                let meant = EditDistance.suggestion(for: name, in: bundled.map(\.name))
                throw settings.error(
                    "definition",
                    "there is no bundled definition \"\(name)\"\(meant) (known: \(names)); "
                        + "name a file such as ./\(name).conf")
            }
            return try ConfiguredSource(asking: describe(definition(name, settings)), settings)
        }
    }

    private static func definition(_ path: String, _ settings: Settings) throws -> Definition {
        do {
            guard
                let bytes = try FileReading.bytes(
                    of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
            else { throw settings.error("definition", "there is no file \"\(path)\"") }
            return try Definition(ConfigurationFile(path: path, bytes: bytes))
        } catch let fault as FileReading.Fault {
            throw settings.error("definition", "the file \"\(path)\" \(fault.words)")
        }
    }

    private static var askedOptions: [PluginOption] {
        let limits = RateLimit.Options()
        return [
            PluginOption(
                "token", .secret, "the token to ask with, for this server only; asks without when not set"
            ),
            PluginOption(
                "wait-at-most-seconds", .integer(0...86_400),
                default: "\(limits.waitAtMost.components.seconds)",
                "the longest that one request waits for a rate limit before it fails"),
            PluginOption(
                "deadline-seconds", .integer(1...86_400), default: "\(deadlineSeconds)",
                "the longest that one answer may take, retries and redirects included; waits for a rate limit "
                    + "do not count"),
            PluginOption(
                "concurrency", .integer(1...100), default: "\(limits.concurrency)",
                "how many requests go at the same time with a token; one without"),
        ] + PluginOption.recording
    }
}

extension ConfiguredSource {
    init(asking api: SourceAPI, _ settings: Settings) throws {
        guard let baseURL = settings.text("base-url") ?? api.definition.baseURL else {
            throw settings.error("base-url", "the definition has no address; set one")
        }
        guard ["https://", "http://"].contains(where: { baseURL.lowercased().hasPrefix($0) }) else {
            throw settings.error("base-url", "must begin with https://, or http:// for this machine")
        }
        guard !baseURL.contains(where: { "?#@".contains($0) }) else {
            throw settings.error(
                "base-url", "must hold no name, password, query or fragment; set a token as source.token")
        }
        self.init(resources: [SourceResources(api, at: baseURL)]) { context in
            let options = try LayerOptions(settings, of: api, baseURL: baseURL, context)
            let network = try await context.networking()
            return api.open(options, over: network, settings, baseURL: baseURL)
        }
    }
}

/// The usual limit on the time of one answer.
private let deadlineSeconds = 30

extension SourceAPI {
    /// The API above all layers, with what these count and keep.
    fileprivate func open(
        _ options: LayerOptions, over network: any Networking, _ settings: Settings, baseURL: String
    ) -> Source {
        let layers = options.layers()
        let rateLimit = layers.lazy.compactMap { $0 as? RateLimit }.first
        let shared = layers.lazy.compactMap { $0 as? SharedBudget }.first
        // A token that is read anew is another one for budgets; what was fetched with the first is asked for again.
        let token = settings.text("token").flatMap { definition.authorization.scheme?.fingerprint($0) }
        var source = open(network.layered(layers), baseURL, fingerprint: token?.description)
        source.concurrency = token == nil ? 1 : options.rateLimit.concurrency
        source.sharesRequests = true
        source.requests = { options.log.counts }
        source.upstream = upstream(
            options, layers, over: network, baseURL: baseURL, lender: token?.description)
        source.budget = {
            // A budget that cannot be read is not known; reading it for a request tells the error.
            guard let budget = try? await rateLimit?.budget(at: baseURL, token: token) else { return nil }
            return RequestBudget(remaining: Int(clamping: budget.remaining), resetsAt: budget.resetsAt)
        }
        source.close = {
            await rateLimit?.save()
            await shared?.giveBack()
            try await network.close()
            await options.recorder?.close()
        }
        return source
    }

    private func upstream(
        _ options: LayerOptions, _ layers: [any NetworkingLayer], over network: any Networking,
        baseURL: String,
        lender: String?
    ) -> Upstream {
        var upstream = Upstream(
            baseURL: baseURL, networking: network.layered(options.passingLayers(beside: layers, lends: false))
        )
        if lender != nil {
            upstream.lending = network.layered(options.passingLayers(beside: layers, lends: true))
            upstream.lender = lender
        }
        upstream.pathAlias = pathAlias
        return upstream
    }
}

extension LayerOptions {
    /// The layers as a source's options have them; ``LayerOptions/layers()`` tells their order.
    fileprivate init(
        _ settings: Settings, of api: SourceAPI, baseURL: String, _ context: SourceContext
    ) throws {
        let clock = LayerClock(now: Timestamp.now)
        let secrets = KnownSecrets(context.secrets + [settings.text("token")].compactMap { $0 })
        self.init(clock: clock, log: RequestLog(clock: clock, secrets: secrets, receive: context.report))
        budgets = context.store.map { BudgetMemory(store: $0) }
        ledger = context.store.map { BudgetLedger(store: $0) }
        let definition = api.definition
        if let scheme = definition.authorization.scheme, let token = TokenProvider(settings) {
            authorization = try Authorization(baseURL: baseURL, token: token, scheme: scheme)
        }
        let path = HTTPAddress(baseURL).map { $0.path == "/" ? "" : $0.path } ?? ""
        paces = definition.paces.map { pace in
            Pacing.Limit(
                path: pace.path.map { path + $0 }, requests: pace.pace.requests, period: pace.pace.per)
        }
        // A POST of such an API only reads, so it may be sent again.
        retry.repeatsPosts = definition.resources.contains { $0.send != .query }
        rateLimit.waitAtMost =
            try settings.integer("wait-at-most-seconds").map { .seconds($0) } ?? rateLimit.waitAtMost
        let deadline = Duration.seconds(try settings.integer("deadline-seconds") ?? deadlineSeconds)
        self.deadline = deadline
        // A pause that would end after the deadline is not begun: its last answer says more than the deadline.
        retry.timeMax = min(retry.timeMax, deadline)
        waiting = context.waiting
        rateLimit.concurrency = try settings.integer("concurrency") ?? rateLimit.concurrency
        try record(settings)
    }
}

extension Definition {
    /// The paces of the API and of its resources, which count by the beginnings of their paths.
    fileprivate var paces: [(path: String?, pace: Pace)] {
        let ofResources = resources.flatMap { resource -> [(path: String?, pace: Pace)] in
            guard let pace = resource.pace else { return [] }
            return resource.lists.map { ($0.template.beginning, pace) }
        }
        return (pace.map { [(nil, $0)] } ?? []) + ofResources
    }
}

extension Template {
    /// The path up to the first parameter or the query.
    fileprivate var beginning: String {
        guard case .literal(let text)? = pieces.first else { return "/" }
        return String(text.prefix { $0 != "?" })
    }
}

extension Definition.Authorization {
    /// Nil for an API that takes no token.
    fileprivate var scheme: Authorization.Scheme? {
        switch self {
        case .none: nil
        case .bearer: .bearer
        case .basic: .basic
        case .header(let name, let prefix): .header(name: name, prefix: prefix)
        case .query(let name): .query(name: name)
        }
    }
}

extension TokenProvider {
    /// The token that was read with the settings, then what stands in its place when it is refused.
    fileprivate init?(_ settings: Settings) {
        guard let token = settings.text("token") else { return nil }
        let first = Mutex<String?>(token)
        self.init {
            let unused = first.withLock { first in
                defer { first = nil }
                return first
            }
            if let unused { return unused }
            return try await settings.readAgain?("token") ?? token
        }
    }
}
