#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
public import PatchbayCore
public import PatchbayDomain
public import PatchbayGateway
import PatchbayNetworking
import Synchronization

extension Gateway {
    /// Opens the source and the storage that a configuration chooses.
    ///
    ///     let gateway = try await Gateway(configuration: GatewayConfiguration())
    ///
    /// - Parameters:
    ///   - schema: `Schema.gateway`, perhaps with a program's own collections (``Schema/adding(_:)``).
    ///   - access: what may happen to the storage's files.
    ///   - storage: what is opened in place of the storage that the configuration chooses; nil opens that one.
    ///   - isOffline: leaves the source closed: a recording may be missing, a network down. Use cases then run with the
    ///     policy `Policy.localOnly`; with another one they fail with `offline`.
    ///   - telemetry: where the gateway tells what it does; nowhere when not given.
    ///   - report: hears of each request when it has ended, on any thread and from several at once.
    ///   - waiting: is called when a wait for a rate limit begins, on any thread.
    ///   - progress: hears of an opening that takes long.
    public init(
        configuration: GatewayConfiguration, schema: Schema = .gateway, access: StorageAccess = .creating,
        storage: (any Storage)? = nil, isOffline: Bool = false,
        telemetry: Telemetry = Telemetry(),
        report: (@Sendable (RequestLogEntry) -> Void)? = nil,
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil,
        progress: @escaping WorkProgress.Handler = { _ in },
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) async throws {
        let source = try configuration.onlySource()
        self = try await configuration.opening(
            [source], access, storage, isOffline, telemetry, report, waiting
        ) {
            try await Gateway(
                storage: $0, source: $1[0], schema: schema, access: access,
                search: configuration.searchSettings(), served: telemetry.served, progress: progress, now: now
            )
        }
    }
}

extension GatewayConfiguration {
    /// Opens all sources of the configuration over its storage, which is opened once.
    ///
    ///     let gateways = try await GatewayConfiguration().openAll()
    ///     try await gateways.each { print($0.source.name, $0.resources.map(\.name)) }
    ///     try await gateways.close()
    ///
    /// The parameters are those of `Gateway(configuration:)`.
    ///
    /// - Returns: a gateway for each source, in the order of ``sources``.
    public func openAll(
        schema: Schema = .gateway, access: StorageAccess = .creating, storage: (any Storage)? = nil,
        isOffline: Bool = false, telemetry: Telemetry = Telemetry(),
        report: (@Sendable (RequestLogEntry) -> Void)? = nil,
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil,
        progress: @escaping WorkProgress.Handler = { _ in },
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) async throws -> Gateways {
        // Two sources of one word are told before anything is opened; a source that stays closed may be unreadable.
        if sources.count > 1, !isOffline { _ = try await declaredSources() }
        return try await opening(sources, access, storage, isOffline, telemetry, report, waiting) {
            try await Gateways(
                storage: $0, sources: $1, schema: schema, access: access, search: searchSettings(),
                served: telemetry.served, progress: progress, clock: LayerClock(now: now))
        }
    }

    /// Opens sources and the storage, and with them what `body` makes; closes the sources when that fails.
    fileprivate func opening<Opened: StoreHolder>(
        _ choices: [EffectiveConfiguration.Choice], _ access: StorageAccess, _ storage: (any Storage)?,
        _ isOffline: Bool, _ telemetry: Telemetry, _ report: (@Sendable (RequestLogEntry) -> Void)?,
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
                            choice, store: { try slot.store() }, report: telemetry.report(also: report),
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

/// What is opened over a storage.
private protocol StoreHolder {
    var store: Store { get }
}

extension Gateway: StoreHolder {}
extension Gateways: StoreHolder {}

extension Schema {
    /// What a gateway that was opened from a configuration stores: records, and what layers keep between runs.
    public static let gateway = Schema(
        version: Schema.patchbay.version, Schema.patchbay.collections + [StoredBudget.collection])
}

/// The store of a gateway, for a source that is opened before it.
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
    /// - Parameter access: what it will be opened for; only with `creating` the folder of a default path is made.
    public func openStorage(_ access: StorageAccess = .creating) async throws -> any Storage {
        let plugin = try chosen(plugins.storages)
        for entry in configuration.entries
        where access == .creating && entry.key == "storage.path" && entry.value.origin == .defaultValue {
            let path = try path(entry)
            if let end = path.lastIndex(of: "/") { try FileReading.makeFolders(String(path[..<end])) }
        }
        return try await plugin.open(try settings("storage"))
    }

    /// The error of an opening; or that the storage is an unfinished copy, which has no indexes and therefore does not
    /// open with every schema.
    public func explained(_ error: any Error) async -> any Error {
        guard let failure = error as? PatchbayError, [.unsupported, .conflict].contains(failure.code),
            let storage = try? await openStorage(.reading),
            let store = try? await Store(storage, schema: nil, access: .reading)
        else { return error }
        var explained = error
        do { try await store.requireFinishedCopy() } catch { explained = error }
        // It was only read.
        try? await store.close()
        return explained
    }

    /// Opens the source plugin. Nothing is asked, and no connection made, before a use case asks.
    ///
    /// - Parameters:
    ///   - store: where the source keeps something between runs; nil keeps nothing.
    ///   - report: hears of each request.
    ///   - waiting: is called when a wait for a rate limit begins.
    /// - Throws: `invalidConfiguration` when there are several sources; see ``choosing(_:)``.
    public func openSource(
        store: (@Sendable () async throws -> Store)? = nil,
        report: (@Sendable (RequestLogEntry) -> Void)? = nil,
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil
    ) async throws -> Source {
        try await open(onlySource(), store: store, report: report, waiting: waiting)
    }

    private func open(
        _ source: EffectiveConfiguration.Choice, store: (@Sendable () async throws -> Store)?,
        report: (@Sendable (RequestLogEntry) -> Void)?, waiting: (@Sendable (RateLimitWait) -> Void)?
    ) async throws -> Source {
        var settings = try await SettingsReader().settings(source.key, of: self)
        settings.readAgain = { key in try await SettingsReader().secret("\(source.key).\(key)", of: self) }
        var context = SourceContext(networking: openNetworking)
        context.store = store
        context.report = report
        context.waiting = waiting
        context.secrets = proxyPasswords
        return try await configured(source, settings).open(context)
    }

    /// What stands in for the source when nothing may be asked. Nothing is opened.
    private func closedSource(_ source: EffectiveConfiguration.Choice) async -> Source {
        var closed = Source.closed
        // A source that cannot be configured, such as a definition with a fault, does not hide what is stored.
        if let settings = try? settings(source.key, readsSecrets: false),
            let configured = try? await configured(source, settings)
        {
            closed.candidates =
                sources.count == 1 ? configured.resources : Array(configured.resources.prefix(1))
        }
        return closed
    }

    /// How much searches remember.
    public func searchSettings() throws -> SearchSettings { try SearchSettings(try settings("search")) }

    /// Opens the networking plugin, without layers.
    public func openNetworking() async throws -> any Networking {
        let plugin = try chosen(plugins.networkings)
        return try await plugin.open(try settings("networking"))
    }

    /// The options of a kind, read on a thread of their own, because a secret may come from a command.
    func settingsOnThread(_ kind: String) async throws -> Settings {
        try await SettingsReader().settings(kind, of: self)
    }

    /// The passwords of proxies that requests may go through; a configuration holds none, the environment may.
    private var proxyPasswords: [String] {
        environment.filter { $0.key.lowercased().hasSuffix("_proxy") }.compactMap {
            KnownSecrets.password(inAddress: $0.value)
        }
    }

    private func chosen<Product>(_ registry: Registry<Product>) throws -> Plugin<Product> {
        guard !registry.plugins.isEmpty else {
            throw PatchbayError(
                .unsupported,
                "this program has no \(registry.kind) plugin; add one to its PluginSet, or choose what needs none"
            )
        }
        return try registry.plugin(named: configuration.plugin(registry.kind))
    }
}

/// Reads settings on a thread of its own: a command that prints a secret may take seconds.
private actor SettingsReader {
    private let executor = BlockingExecutor(label: "patchbay.settings")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func settings(_ kind: String, of configuration: GatewayConfiguration) throws -> Settings {
        try configuration.settings(kind)
    }

    func secret(_ key: String, of configuration: GatewayConfiguration) throws -> String {
        try configuration.secret(key)
    }
}

extension Source {
    /// What stands in for the source when nothing may be asked.
    static let closed: Source = {
        var source = Source(name: "no source (offline)")
        source.isClosed = true
        return source
    }()
}

extension Timestamp {
    /// The system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        // Cannot fail: CLOCK_REALTIME is always there.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
