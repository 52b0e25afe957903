public import PatchbayCore
public import PatchbayDomain
import PatchbayNetworking
import Synchronization

extension Plugin where Product == ConfiguredSource {
    /// An API over the network. Requests are sent only when a use case needs them.
    ///
    /// The plugin has the API's name. Its requests pass through all layers, which share answers, follow redirects,
    /// retry, respect rate limits, send a token only to its own server, and can record.
    public static func network(_ api: SourceAPI) -> Plugin<ConfiguredSource> { network(api, describe: nil) }

    /// - Parameter describe: creates an API from its definition with the values of its settings.
    package static func network(
        _ api: SourceAPI, describe: (@Sendable (Definition) -> SourceAPI)?
    ) -> Plugin<ConfiguredSource> {
        let definition = DefinitionOption(bundled: [], describe: describe)
        let takesSettings = describe != nil && api.hasSettings
        return Plugin(
            api.name, api.definition.summary ?? "the resources of the API \(api.name)",
            options: [PluginOption("base-url", .text, default: api.definition.fixedBaseURL, api.baseURLHelp)]
                + (takesSettings ? [DefinitionOption.settings] : []) + networkOptions
        ) { settings in
            try ConfiguredSource(network: takesSettings ? definition.api(api, settings) : api, settings)
        }
    }

    /// An API described by a definition, either a bundled one or a file.
    ///
    ///     source = rest
    ///     source.definition = gitlab.conf
    ///
    /// - Parameters:
    ///   - bundled: the APIs that `source.definition` may name.
    ///   - describe: creates an API from a definition.
    package static func rest(
        bundled: [SourceAPI], describe: @escaping @Sendable (Definition) -> SourceAPI
    ) -> Plugin<ConfiguredSource> {
        let definition = DefinitionOption(bundled: bundled, describe: describe)
        return Plugin(
            "rest", "any REST API described by a definition",
            options: [
                definition.option("the definition of the API"), DefinitionOption.settings,
                PluginOption("base-url", .text, "where the API is; the definition's address when not set"),
                PluginOption(
                    "second-token", .secret,
                    "the second secret to send, only to this server, for a definition with auth-second"),
            ] + networkOptions
        ) { settings in try ConfiguredSource(network: definition.api(settings), settings) }
    }

    private static var networkOptions: [PluginOption] {
        let limits = RateLimit.Options()
        return [
            PluginOption(
                "token", .secret, "the token to send, only to this server; no token is sent when not set"
            ),
            PluginOption(
                "account", .text,
                "whose token it is, in any words: a new token of the same account then continues syncs, and confirms "
                    + "rows, of earlier ones; when not set, each token is another account"),
            PluginOption(
                "wait-at-most-seconds", .integer(0...86_400),
                default: "\(limits.waitAtMost.components.seconds)",
                "the maximum wait of a request for a rate limit, in seconds, before it fails"),
            PluginOption(
                "deadline-seconds", .integer(1...86_400), default: "\(deadlineSeconds)",
                "the maximum time for one answer, in seconds, including retries and redirects; waits for a rate limit "
                    + "do not count"),
            PluginOption(
                "keep-base-url", .choice(["on", "off"]), default: "off",
                "whether to request next pages at the base URL if the source names another server, such as its "
                    + "internal name behind a proxy"),
            PluginOption(
                "concurrency", .integer(1...100), default: "\(limits.concurrency)",
                "the number of simultaneous requests with a token; without one, a request is followed by the next "
                    + "after its answer or a second, up to this number"),
        ] + PluginOption.recording
    }
}

extension Definition {
    /// The address of the API if it is the same for all users.
    fileprivate var fixedBaseURL: String? {
        baseURL.flatMap { settings(in: $0).isEmpty ? $0 : nil }
    }
}

extension ConfiguredSource {
    init(network api: SourceAPI, _ settings: Settings) throws {
        guard let baseURL = settings.text("base-url") ?? api.definition.baseURL else {
            throw settings.error("base-url", "the definition has no address; set one")
        }
        if let absent = api.definition.settings(in: baseURL).first {
            throw settings.error(DefinitionOption.settingsKey, api.definition.absent(absent).problem)
        }
        guard ["https://", "http://"].contains(where: { baseURL.lowercased().hasPrefix($0) }) else {
            throw settings.error("base-url", "must begin with https://, or http:// for this machine")
        }
        try api.definition.checkSecrets(settings)
        guard !baseURL.contains(where: { "?#@".contains($0) }) else {
            throw settings.error(
                "base-url",
                "must not contain a user name, password, query or fragment; set a token as source.token")
        }
        self.init(resources: [SourceResources(api, at: baseURL)]) { context in
            let options = try LayerOptions(settings, of: api, baseURL: baseURL, context)
            let network = try await context.networking()
            return api.open(options, over: network, settings, baseURL: baseURL)
        }
        identity = { api.keeping(settings).identity(at: baseURL, fingerprint: settings.account) }
    }
}

extension Settings {
    /// What distinguishes the credentials if they are those of a named account.
    fileprivate var account: String? { text("account").map { "account \($0)" } }

    /// The fingerprint of a configured secret; nil if it is not set, or the API uses none.
    fileprivate func fingerprint(_ key: String, _ scheme: Authorization.Scheme?) -> TokenFingerprint? {
        text(key).flatMap { scheme?.fingerprint($0) }
    }
}

/// The default limit on the time of one answer.
private let deadlineSeconds = 30

extension SourceAPI {
    /// The API that requests next pages at the base URL if the settings say so.
    fileprivate func keeping(_ settings: Settings) -> SourceAPI {
        var api = self
        if settings.text("keep-base-url") == "on" { api.keepBaseURL() }
        return api
    }

    /// The API above all layers, with their counters and state.
    fileprivate func open(
        _ options: LayerOptions, over network: any Networking, _ settings: Settings, baseURL: String
    ) -> Source {
        let layers = options.layers(), account = settings.account
        let rateLimit = layers.own.lazy.compactMap { $0 as? RateLimit }.first
        let shared = layers.own.lazy.compactMap { $0 as? SharedBudget }.first
        // A token that is read again counts as another one, unless the account has a name.
        let token = settings.fingerprint("token", definition.authorization.scheme)
        let second = settings.fingerprint("second-token", definition.secondAuthorization.scheme)
        let secrets = [(options.authorization, token), (options.secondAuthorization, second)]
        var source = keeping(settings).open(network.layered(layers.own), baseURL) {
            let fingerprints = secrets.compactMap { $0.0?.fingerprint(configured: $0.1)?.description }
            return account ?? (fingerprints.isEmpty ? nil : fingerprints.joined(separator: " "))
        }
        source.concurrency = token == nil ? 1 : options.rateLimit.concurrency
        source.sharesRequests = true
        source.sendsToken = definition.authorization.scheme != nil
        source.requests = { options.log.counts }
        source.upstream = upstream(options, layers, over: network, baseURL: baseURL, token: token)
        source.budget = {
            // A budget that cannot be read is unknown; a request that reads it reports the error.
            guard let budget = try? await rateLimit?.budget(at: baseURL, token: token) else { return nil }
            return RequestBudget(remaining: Int(clamping: budget.remaining), resetsAt: budget.resetsAt)
        }
        source.close = {
            await rateLimit?.save()
            await shared?.release()
            try await network.close()
            await options.recorder?.close()
        }
        return source
    }

    private func upstream(
        _ options: LayerOptions, _ layers: StandardLayers, over network: any Networking,
        baseURL: String, token: TokenFingerprint?
    ) -> Upstream {
        var upstream = Upstream(
            baseURL: baseURL, networking: network.layered(layers.passing(lends: false)))
        // A client with one of two secrets must not be answered with the other one of the source.
        if token != nil, definition.secondAuthorization == .none {
            upstream.lending = network.layered(layers.passing(lends: true))
            let authorization = options.authorization
            upstream.lender = { authorization?.fingerprint(configured: token)?.description }
        }
        upstream.pathAlias = pathAlias
        upstream.marksError = marksError
        upstream.authorization = definition.authorization
        return upstream
    }
}

extension LayerOptions {
    /// The layers according to a source's options; ``LayerOptions/layers()`` documents their order.
    fileprivate init(
        _ settings: Settings, of api: SourceAPI, baseURL: String, _ context: SourceContext
    ) throws {
        let clock = LayerClock(now: Timestamp.now)
        let definition = api.definition, scheme = definition.authorization.scheme
        let secrets = KnownSecrets(
            context.secrets + ["token", "second-token"].compactMap { settings.text($0) },
            schemes: [scheme ?? .bearer] + [definition.secondAuthorization.scheme].compactMap(\.self))
        self.init(clock: clock, log: RequestLog(clock: clock, secrets: secrets, receive: context.report))
        if let store = context.store { paceStore = store }
        if let scheme, let token = TokenProvider(settings, "token") {
            authorization = try Authorization(baseURL: baseURL, token: token, scheme: scheme)
        }
        if let scheme = definition.secondAuthorization.scheme,
            let token = TokenProvider(settings, "second-token")
        {
            secondAuthorization = try Authorization(baseURL: baseURL, token: token, scheme: scheme)
        }
        // Clients of the server may send any number of tokens.
        let configured = settings.fingerprint("token", scheme)
        let isOwn: @Sendable (String) -> Bool = { [authorization] token in
            token.isEmpty || token == authorization?.fingerprint(configured: configured)?.description
        }
        budgets = context.store.map { BudgetMemory(store: $0, keeps: isOwn) }
        ledger = context.store.map { BudgetLedger(store: $0, keeps: isOwn) }
        bodyLimit = api.bodyLimit
        let path = HTTPAddress(baseURL).map { $0.path == "/" ? "" : $0.path } ?? ""
        paces = definition.paces.map { pace in
            Pacing.Limit(
                path: pace.path.map { path + $0 }, requests: pace.pace.requests, period: pace.pace.per)
        }
        // A POST of such an API only reads, so it may be repeated.
        retry.repeatsPosts = definition.resources.contains { $0.send != .query }
        rateLimit.waitAtMost =
            try settings.integer("wait-at-most-seconds").map { .seconds($0) } ?? rateLimit.waitAtMost
        let deadline = Duration.seconds(try settings.integer("deadline-seconds") ?? deadlineSeconds)
        self.deadline = deadline
        // A pause that would end after the deadline is not started, because the last answer says more than a timeout.
        retry.timeMax = min(retry.timeMax, deadline)
        waiting = context.waiting
        rateLimit.concurrency = try settings.integer("concurrency") ?? rateLimit.concurrency
        try record(settings)
    }
}

extension Definition {
    /// - Throws: `invalidConfiguration` if one of two secrets is set without the other, or a second one that the
    ///   definition does not send.
    fileprivate func checkSecrets(_ settings: Settings) throws {
        let hasFirst = settings.text("token") != nil, hasSecond = settings.text("second-token") != nil
        guard secondAuthorization != .none else {
            guard hasSecond else { return }
            throw settings.error("second-token", "the definition sends no second secret; remove the line")
        }
        if hasFirst, !hasSecond {
            throw settings.error(
                "second-token", "is not set; the API needs a second secret beside source.token")
        }
        if hasSecond, !hasFirst {
            throw settings.error("token", "is not set; the API needs it beside source.second-token")
        }
    }

    /// The paces of the API and of its resources, which apply to prefixes of paths.
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
    /// Nil for an API that does not use a token.
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
    /// The token read with the settings, and the one that replaces it when it is refused.
    fileprivate init?(_ settings: Settings, _ key: String) {
        guard let token = settings.text(key) else { return nil }
        let first = Mutex<String?>(token)
        self.init {
            let unused = first.withLock { first in
                defer { first = nil }
                return first
            }
            if let unused { return unused }
            return try await settings.readAgain?(key) ?? token
        }
    }
}
