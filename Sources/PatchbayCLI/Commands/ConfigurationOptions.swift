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

    @OptionGroup var terminal: TerminalOptions

    func validate() throws {
        for assignment in assignments
        where (assignment.firstIndex(of: "=") ?? assignment.startIndex) == assignment.startIndex {
            throw ValidationError("--set \"\(assignment)\" is not key=value")
        }
    }

    /// Reads the configuration; to be called once by a command.
    func load() throws -> GatewayConfiguration {
        let (configuration, faults) = try read()
        if let fault = faults.first { throw fault }
        configuration.noteUnusedPath()
        return try recorded(configuration)
    }

    /// The configuration, or every fault of it.
    func loadOrExplain() throws -> Result<GatewayConfiguration, ConfigurationFaults> {
        let (configuration, faults) = try read()
        let all = faults + configuration.pathFaults
        guard all.isEmpty else { return .failure(ConfigurationFaults(all: all)) }
        return .success(try recorded(configuration))
    }

    private func read() throws -> (configuration: GatewayConfiguration, faults: [PatchbayError]) {
        GatewayConfiguration.reading(
            try CommandLineTool.found(named: config), plugins: CommandLineTool.plugins, flags: flags)
    }

    /// With what `patchbay record` sets.
    private func recorded(_ configuration: GatewayConfiguration) throws -> GatewayConfiguration {
        guard !RecordCommand.flags.isEmpty else { return configuration }
        try RecordCommand.check(configuration)
        return try configuration.adding(RecordCommand.flags)
    }

    /// Opens source and storage, runs `body` and closes them; on a terminal an opening that takes long shows how
    /// far it is.
    ///
    /// - Parameters:
    ///   - access: what may happen to the storage offline. Online it is created where none is.
    ///   - requests: what to say of the requests; nil says nothing.
    ///   - isQuiet: says nothing of waits for a rate limit.
    func withGateway<Result>(
        isOffline: Bool = false, access: StorageAccess = .reading, _ requests: RequestOptions? = nil,
        isQuiet: Bool = false, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        try await with(try load(), isOffline: isOffline, access, requests, isQuiet: isQuiet, body)
    }

    /// The same for a command that leaves nothing stored: where no storage is yet, memory takes its place.
    func withGatewayOverWhatIsThere<Result>(
        _ requests: RequestOptions? = nil, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let configuration = try load()
        let gateway: Gateway
        do {
            gateway = try await open(configuration, .writing, requests, isQuiet: false)
        } catch let error as PatchbayError where error.code == .notFound {
            gateway = try await open(
                configuration, .creating, storage: MemoryStorage(), requests, isQuiet: false)
        }
        return try await using(gateway, requests, isQuiet: false, body)
    }

    /// The same for a command that reads; hands over the policy that the options or the configuration state.
    func withGateway<Result>(
        _ policy: PolicyOptions, access: StorageAccess = .reading, _ requests: RequestOptions? = nil,
        isQuiet: Bool = false,
        _ body: (Gateway, Policy) async throws -> Result
    ) async throws -> Result {
        let configuration = try load()
        let policy = try policy.policy(in: configuration)
        return try await withGateway(configuration, policy, access: access, requests, isQuiet: isQuiet) {
            try await body($0, policy)
        }
    }

    /// The same for a command that has read the configuration.
    func withGateway<Result>(
        _ configuration: GatewayConfiguration, _ policy: Policy, access: StorageAccess = .reading,
        _ requests: RequestOptions? = nil, isQuiet: Bool = false, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        try await with(
            configuration, isOffline: policy == .localOnly, access, requests, isQuiet: isQuiet, body)
    }

    private func with<Result>(
        _ configuration: GatewayConfiguration, isOffline: Bool, _ access: StorageAccess,
        _ requests: RequestOptions?, isQuiet: Bool, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let gateway =
            isOffline
            ? try await open(configuration, access, isOffline: true, nil, isQuiet: isQuiet)
            : try await open(configuration, .creating, requests, isQuiet: isQuiet)
        // Offline there are no requests to wait for.
        return try await using(gateway, requests, isQuiet: isQuiet || isOffline, body)
    }

    private func open(
        _ configuration: GatewayConfiguration, _ access: StorageAccess, storage: (any Storage)? = nil,
        isOffline: Bool = false, _ requests: RequestOptions?, isQuiet: Bool
    ) async throws -> Gateway {
        let report = try requests?.report()
        let waiting: @Sendable (RateLimitWait) -> Void = { wait in
            if !isQuiet, !TerminalOptions.isQuiet { WaitLine.errors.limited(wait) }
        }
        do {
            var gateway = try await ProgressBar.errors.showing {
                try await Gateway(
                    configuration: configuration, access: access, storage: storage, isOffline: isOffline,
                    report: report, waiting: waiting, progress: $0)
            }
            gateway.maximumAge = requests?.maxAge
            return gateway
        } catch let error as PatchbayError where error.code == .notFound && isOffline {
            throw try ChosenStorage(configuration).missing
        }
    }

    private func using<Result>(
        _ gateway: Gateway, _ requests: RequestOptions?, isQuiet: Bool,
        _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        // Waits are counted down while the command works.
        let ticks = Task {
            while !isQuiet, !TerminalOptions.isQuiet, !Task.isCancelled {
                WaitLine.errors.tick()
                // Ends early when it is cancelled, which the loop sees.
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { ticks.cancel() }
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

    private var flags: [GatewayConfiguration.Flag] {
        var flags = assignments.map { assignment in
            let equals = assignment.firstIndex(of: "=")!
            let key = assignment[..<equals], value = assignment[assignment.index(after: equals)...]
            // Spaces belong to a value, but for those of an equals sign that is written between spaces.
            let isSpaced = key.last == " "
            return GatewayConfiguration.Flag(
                key.trimmed, String(isSpaced ? value.drop { $0 == " " } : value), name: "--set")
        }
        if let storage { flags.append(.init("storage", storage, name: "--storage")) }
        if let source { flags.append(.init("source", source, name: "--source")) }
        return flags
    }
}

extension GatewayConfiguration {
    /// Says on the standard error when a path was written for another storage than the one that was chosen, and the
    /// chosen one uses its default path.
    fileprivate func noteUnusedPath() {
        let key = "storage.path"
        guard let unused = configuration.setAside.last(where: { $0.key == key })?.value,
            let used = configuration.entries.first(where: { $0.key == key }),
            used.value.origin == .defaultValue,
            // A path that cannot be expanded is told when it is used.
            let path = try? path(used)
        else { return }
        Message.note(
            "note: \(key) = \"\(unused.text)\" (\(unused.origin)) was written for another storage and is not used; "
                + "\(configuration.plugin("storage")) uses \"\(path)\", unless \(key) is set beside it")
    }
}

/// Everything that keeps a configuration from being used, at least one fault.
struct ConfigurationFaults: Error {
    let all: [PatchbayError]

    var first: PatchbayError { all[0] }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
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

    @Flag(help: "Fetch everything again, even what has not changed. Short for --policy refresh.")
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
