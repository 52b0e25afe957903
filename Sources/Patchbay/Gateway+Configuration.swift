#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
public import PatchbayCore
public import PatchbayDomain
public import PatchbayGateway

extension Gateway {
    /// Opens the source and the storage that a configuration chooses.
    ///
    ///     let gateway = try await Gateway(configuration: GatewayConfiguration())
    ///
    /// - Parameters:
    ///   - isOffline: leaves the source closed: a recording may be missing, a network down. Use cases then run with the
    ///     policy ``Policy/localOnly``; with another one they fail with `offline`.
    ///   - progress: hears of an opening that takes long.
    public init(
        configuration: GatewayConfiguration, isOffline: Bool = false,
        progress: @escaping Progress.Handler = { _ in },
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) async throws {
        let source = isOffline ? Source.closed : try await configuration.openSource()
        try await self.init(
            storage: try await configuration.openStorage(), source: source, progress: progress, now: now)
    }
}

extension GatewayConfiguration {
    /// Opens the storage plugin; the storage itself is opened by ``Gateway`` or ``Store``.
    public func openStorage() async throws -> any Storage {
        let plugin = try plugins.storages.plugin(named: configuration.plugin("storage"))
        for entry in configuration.entries
        where entry.key == "storage.path" && entry.value.origin == .defaultValue {
            let path = try path(entry)
            if let end = path.lastIndex(of: "/") { try FileReading.makeFolders(String(path[..<end])) }
        }
        return try await plugin.open(try settings("storage"))
    }

    /// Opens the source plugin. Nothing is asked, and no connection made, before a use case asks.
    public func openSource() async throws -> Source {
        let plugin = try plugins.sources.plugin(named: configuration.plugin("source"))
        let settings = try await SettingsReader().settings("source", of: self)
        return try await plugin.open(settings).open(openNetworking)
    }

    /// Opens the networking plugin, without layers.
    public func openNetworking() async throws -> any Networking {
        let plugin = try plugins.networkings.plugin(named: configuration.plugin("networking"))
        return try await plugin.open(try settings("networking"))
    }
}

/// Reads settings on a thread of its own: a command that prints a secret may take seconds.
private actor SettingsReader {
    private let executor = BlockingExecutor(label: "patchbay.settings")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func settings(_ kind: String, of configuration: GatewayConfiguration) throws -> Settings {
        try configuration.settings(kind)
    }
}

extension Source {
    /// What stands in for the source when nothing may be asked.
    static let closed = Source(name: "no source (offline)", users: ClosedUserSource())
}

private struct ClosedUserSource: UserSource {
    private var refusal: PatchbayError { PatchbayError(.offline, "the source is not to be asked (offline)") }

    func users(_ page: UserPageRequest, ifChangedFrom validator: Validator) async throws -> Fetched<UserPage>
    {
        throw refusal
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        throw refusal
    }
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
