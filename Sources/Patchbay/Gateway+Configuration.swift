public import PatchbayCore
package import PatchbayDomain
public import PatchbayGateway
import PatchbayNetworking
import PatchbaySystem
import Synchronization

extension Gateway {
    /// Opens the source and the storage that a configuration chooses.
    ///
    ///     let gateway = try await Gateway(configuration: GatewayConfiguration())
    ///
    /// - Parameters:
    ///   - schema: `Schema.gateway`, optionally with a program's own collections (``Schema/adding(_:)``).
    ///   - access: the permitted changes to the storage's files.
    ///   - storage: a storage to open instead of the configured one, not open yet; nil opens the configured one.
    ///   - isOffline: leaves the source closed, so that a recording may be missing or a network down. Use cases then
    ///     run with the policy `Policy.localOnly`; with another one they fail with `offline`.
    ///   - telemetry: receives logs and metrics; the default receives nothing.
    ///   - waiting: called when a wait for a rate limit begins, on any thread.
    ///   - progress: called during a slow open, such as a migration or an index build.
    public init(
        configuration: GatewayConfiguration, schema: Schema = .gateway, access: StorageAccess = .creating,
        storage: (any Storage)? = nil, isOffline: Bool = false,
        telemetry: Telemetry = Telemetry(),
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil,
        progress: @escaping WorkProgress.Handler = { _ in },
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) async throws {
        let source = try configuration.onlySource()
        self = try await configuration.opening(
            [source], access, storage, isOffline, telemetry, waiting
        ) {
            try await Gateway(
                storage: $0, source: $1[0], schema: schema, access: access,
                search: configuration.searchSettings(), served: telemetry.served, progress: progress, now: now
            )
        }
    }
}

extension GatewayConfiguration {
    /// Opens all sources of the configuration with its storage, which is opened once.
    ///
    ///     let gateways = try await GatewayConfiguration().openAll()
    ///     try await gateways.each { print($0.source.name, $0.resources.map(\.name)) }
    ///     try await gateways.close()
    ///
    /// The parameters are those of `Gateway(configuration:)`.
    ///
    /// - Returns: a gateway for each source, in the order of the key `source`.
    public func openAll(
        schema: Schema = .gateway, access: StorageAccess = .creating, storage: (any Storage)? = nil,
        isOffline: Bool = false, telemetry: Telemetry = Telemetry(),
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil,
        progress: @escaping WorkProgress.Handler = { _ in },
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) async throws -> Gateways {
        // Two sources with the same word are reported before anything is opened. A source that stays closed may be
        // unreadable.
        if sources.count > 1, !isOffline { _ = try await declaredSources() }
        return try await opening(sources, access, storage, isOffline, telemetry, waiting) {
            try await Gateways(
                storage: $0, sources: $1, schema: schema, access: access, search: searchSettings(),
                served: telemetry.served, progress: progress, clock: LayerClock(now: now))
        }
    }

    /// Opens the sources and the storage, and passes them to `body`; closes the sources if anything fails.
    fileprivate func opening<Opened: StoreHolder>(
        _ choices: [EffectiveConfiguration.Choice], _ access: StorageAccess, _ storage: (any Storage)?,
        _ isOffline: Bool, _ telemetry: Telemetry,
        _ waiting: (@Sendable (RateLimitWait) -> Void)?,
        _ body: (any Storage, [Source]) async throws -> Opened
    ) async throws -> Opened {
        let slot = StoreSlot()
        var opened: [Source] = []
        do {
            for choice in choices {
                opened.append(
                    isOffline
                        ? await closedSource(choice)
                        : try await open(
                            choice, store: { try slot.store() }, report: telemetry.report,
                            waiting: waiting))
            }
            let made = try await body(
                telemetry.measuring(storage == nil ? try await openStorage(access) : storage!), opened)
            slot.fill(made.store)
            for source in opened { telemetry.opened(configuration, source) }
            return made
        } catch {
            // The error of the opening is the one to report.
            for source in opened { try? await source.close?() }
            throw storage == nil ? await explained(error) : error
        }
    }
}

/// A type that is opened with a storage.
private protocol StoreHolder {
    var store: Store { get }
}

extension Gateway: StoreHolder {}
extension Gateways: StoreHolder {}

extension Schema {
    /// The collections of a gateway that is opened from a configuration: records, and the state that layers keep
    /// between runs.
    public static let gateway = Schema(
        version: Schema.patchbay.version,
        Schema.patchbay.collections + [StoredBudget.collection, StoredPace.collection])
}

/// The store of a gateway, for a source that is opened before the store.
private final class StoreSlot: Sendable {
    private let content = Mutex<Store?>(nil)

    func fill(_ store: Store) { content.withLock { $0 = store } }

    func store() throws -> Store {
        guard let store = content.withLock({ $0 }) else {
            throw PatchbayError(.internalError, "the source asked for the store before it was opened")
        }
        return store
    }
}

extension GatewayConfiguration {
    /// Opens the storage plugin; the storage itself is opened by `Gateway` or `Store`.
    ///
    /// - Parameter access: the access with which it will be opened. Only `creating` creates the folder of a default
    ///   path.
    public func openStorage(_ access: StorageAccess = .creating) async throws -> any Storage {
        let plugin = try chosen(plugins.storages)
        for entry in configuration.entries
        where access == .creating && entry.key == "storage.path" && entry.value.origin == .defaultValue {
            let path = try path(entry)
            if let end = path.lastIndex(of: "/") { try FileSystem.makeFolders(String(path[..<end])) }
        }
        return try await plugin.open(try settings("storage"))
    }

    /// The error to report for a failed opening. If the storage is an unfinished copy, which has no indexes and cannot
    /// be opened with every schema, the error states that instead.
    package func explained(_ error: any Error) async -> any Error {
        guard let failure = error as? PatchbayError, [.unsupported, .conflict].contains(failure.code),
            let storage = try? await openStorage(.reading),
            let store = try? await Store(storage, schema: nil, access: .reading)
        else { return error }
        var explained = error
        do { try await store.requireFinishedCopy() } catch { explained = error }
        // The storage was only read.
        try? await store.close()
        return explained
    }

    /// Opens the source plugin. No request is sent and no connection is made before a use case needs them.
    ///
    /// The source keeps no data between runs.
    ///
    /// - Parameter report: called with each request.
    /// - Throws: `invalidConfiguration` when there are several sources; see ``choosing(_:)``.
    package func openSource(report: (@Sendable (RequestLogEntry) -> Void)? = nil) async throws -> Source {
        try await open(onlySource(), store: nil, report: report, waiting: nil)
    }

    private func open(
        _ source: EffectiveConfiguration.Choice, store: (@Sendable () async throws -> Store)?,
        report: (@Sendable (RequestLogEntry) -> Void)?, waiting: (@Sendable (RateLimitWait) -> Void)?
    ) async throws -> Source {
        var settings = try await settingsOnThread(source.key)
        settings.readAgain = { key in
            try await WorkThread("settings").run { _ in try secret("\(source.key).\(key)") }
        }
        var context = SourceContext(networking: openNetworking)
        context.store = store
        context.report = report
        context.waiting = waiting
        context.secrets = proxyPasswords
        return try await configured(source, settings).open(context)
    }

    /// The placeholder for the source when no requests may be sent. Nothing is opened.
    private func closedSource(_ source: EffectiveConfiguration.Choice) async -> Source {
        var closed = Source.closed
        // A source that cannot be configured, for example because of a faulty definition, must not hide stored rows.
        if let settings = try? settings(source.key, readsSecrets: false),
            let configured = try? await configured(source, settings)
        {
            closed.candidates =
                sources.count == 1 ? configured.resources : Array(configured.resources.prefix(1))
            closed.identity = configured.identity() ?? ""
        }
        return closed
    }

    /// The number of searches to remember, and for how long.
    package func searchSettings() throws -> SearchSettings { try SearchSettings(try settings("search")) }

    /// Opens the networking plugin, without layers.
    package func openNetworking() async throws -> any Networking {
        let plugin = try chosen(plugins.networkings)
        return try await plugin.open(try settings("networking"))
    }

    /// The options of a kind, read on a separate thread because a secret may come from a command.
    func settingsOnThread(_ kind: String) async throws -> Settings {
        try await WorkThread("settings").run { _ in try settings(kind) }
    }

    /// The passwords of proxies for requests. They are never in a configuration, but may be in the environment.
    private var proxyPasswords: [String] {
        environment.filter { $0.key.lowercased().hasSuffix("_proxy") }.compactMap {
            KnownSecrets.password(inAddress: $0.value)
        }
    }

    private func chosen<Product>(_ registry: Registry<Product>) throws -> Plugin<Product> {
        guard !registry.plugins.isEmpty else {
            throw PatchbayError(
                .unsupported,
                "this program has no \(registry.kind) plugin; add one to its PluginSet, or choose "
                    + "plugins that do not need one"
            )
        }
        return try registry.plugin(named: configuration.plugin(registry.kind))
    }
}

extension Source {
    /// The placeholder for the source when no requests may be sent.
    static let closed: Source = {
        var source = Source(name: "no source (offline)")
        source.isClosed = true
        source.identity = ""
        return source
    }()
}
