import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayGateway

/// The options that choose a configuration; every command that opens something has them.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read this configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp("Use this storage, see \"patchbay plugins list\".", valueName: "name"),
        completion: .list(CommandLineTool.plugins.storages.plugins.map(\.name)))
    var storage: String?

    @Option(
        help: ArgumentHelp("Use this source, see \"patchbay plugins list\".", valueName: "name"),
        completion: .list(CommandLineTool.plugins.sources.plugins.map(\.name)))
    var source: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set one key of the configuration; may be repeated.", valueName: "key=value"),
        completion: .list(CommandLineTool.plugins.keys.map { $0 + "=" }))
    var assignments: [String] = []

    func validate() throws {
        for assignment in assignments
        where (assignment.firstIndex(of: "=") ?? assignment.startIndex) == assignment.startIndex {
            throw ValidationError("--set \"\(assignment)\" is not key=value")
        }
    }

    func load() throws -> GatewayConfiguration {
        let configuration = try configuration(flags)
        guard !RecordCommand.flags.isEmpty else { return configuration }
        try RecordCommand.check(configuration)
        return try self.configuration(flags + RecordCommand.flags)
    }

    private func configuration(_ flags: [GatewayConfiguration.Flag]) throws -> GatewayConfiguration {
        try GatewayConfiguration(plugins: CommandLineTool.plugins, file: config, flags: flags)
    }

    /// Opens source and storage, runs `body` and closes them; on a terminal an opening that takes long shows how
    /// far it is.
    ///
    /// - Parameters:
    ///   - access: what may happen to the storage offline. Online it is created where none is.
    ///   - requests: what to say of the requests; nil says nothing.
    func withGateway<Result>(
        isOffline: Bool = false, access: StorageAccess = .reading, _ requests: RequestOptions? = nil,
        _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        try await with(try load(), isOffline: isOffline, access, requests, body)
    }

    /// The same for a command that leaves nothing stored: where no storage is yet, memory takes its place.
    func withGatewayOverWhatIsThere<Result>(
        _ requests: RequestOptions? = nil, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let configuration = try load()
        let gateway: Gateway
        do {
            gateway = try await open(configuration, .writing, requests)
        } catch let error as PatchbayError where error.code == .notFound {
            gateway = try await open(configuration, .creating, storage: MemoryStorage(), requests)
        }
        return try await using(gateway, requests, body)
    }

    /// The same for a command that reads; hands over the policy that the options or the configuration state.
    func withGateway<Result>(
        _ policy: PolicyOptions, access: StorageAccess = .reading, _ requests: RequestOptions? = nil,
        _ body: (Gateway, Policy) async throws -> Result
    ) async throws -> Result {
        let configuration = try load()
        let policy = try policy.policy(in: configuration)
        return try await with(configuration, isOffline: policy == .localOnly, access, requests) {
            try await body($0, policy)
        }
    }

    private func with<Result>(
        _ configuration: GatewayConfiguration, isOffline: Bool, _ access: StorageAccess,
        _ requests: RequestOptions?, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        guard isOffline else {
            return try await using(try await open(configuration, .creating, requests), requests, body)
        }
        return try await using(
            try await open(configuration, access, isOffline: true, nil), requests, body)
    }

    private func open(
        _ configuration: GatewayConfiguration, _ access: StorageAccess, storage: (any Storage)? = nil,
        isOffline: Bool = false, _ requests: RequestOptions?
    ) async throws -> Gateway {
        let report = try requests?.report()
        do {
            return try await ProgressBar.errors.showing {
                try await Gateway(
                    configuration: configuration, access: access, storage: storage, isOffline: isOffline,
                    report: report, progress: $0)
            }
        } catch let error as PatchbayError where error.code == .notFound && isOffline {
            throw try ChosenStorage(configuration).missing
        }
    }

    private func using<Result>(
        _ gateway: Gateway, _ requests: RequestOptions?, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await body(gateway)
        } catch {
            // The first error is the one to tell.
            try? await gateway.close()
            requests?.writeStatistics(of: gateway.source)
            throw error
        }
        try await gateway.close()
        requests?.writeStatistics(of: gateway.source)
        return result
    }

    func faults() throws -> [PatchbayError] {
        try GatewayConfiguration.faults(plugins: CommandLineTool.plugins, file: config, flags: flags)
    }

    private var flags: [GatewayConfiguration.Flag] {
        var flags = assignments.map { assignment in
            let equals = assignment.firstIndex(of: "=")!
            let key = String(assignment[..<equals]).trimmed
            return GatewayConfiguration.Flag(
                key, String(assignment[assignment.index(after: equals)...]).trimmed, name: "--set")
        }
        if let storage { flags.append(.init("storage", storage, name: "--storage")) }
        if let source { flags.append(.init("source", source, name: "--source")) }
        return flags
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// The options that say whether and when the source is asked.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: ArgumentHelp("Whether and when the source is asked.", valueName: "policy"),
        choices: Policy.self, default: CommandLineTool.plugins.words(for: "reading.policy"))
    var named: Policy?

    @Flag(help: "Show what is stored; do not ask the source, nor open it. Short for --policy local-only.")
    var offline = false

    @Flag(help: "Fetch anew, even what the source would call unchanged. Short for --policy refresh.")
    var refresh = false

    func validate() throws {
        let given = [
            named.map { "--policy \($0.rawValue)" }, offline ? "--offline" : nil, refresh ? "--refresh" : nil,
        ]
        .compactMap { $0 }
        if given.count > 1 {
            throw ValidationError(given.joined(separator: " and ") + " exclude each other")
        }
    }

    /// What the options state, else what the configuration does.
    func policy(in configuration: GatewayConfiguration) throws -> Policy {
        try named ?? (offline ? .localOnly : refresh ? .refresh : configuration.policy())
    }
}
