import Patchbay
import PatchbayTerminal

extension ConfigurationOptions {
    /// Opens source and storage, runs `body` and closes them. On a terminal, a slow opening shows its progress.
    ///
    /// - Parameters:
    ///   - resource: the resource whose source is opened; nil for a command that needs a configuration with one source.
    ///   - access: the access to the storage when offline. Online, a missing storage is created.
    ///   - requests: what to report about requests; nil reports nothing.
    ///   - isQuiet: whether waits for a rate limit are not reported.
    func withGateway<Result>(
        of resource: DeclaredResource? = nil, isOffline: Bool = false, access: StorageAccess = .reading,
        _ requests: RequestOptions? = nil, isQuiet: Bool = false, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let configuration = try resource.map(load) ?? load()
        guard configuration.sources.count == 1 else {
            throw PatchbayError.severalSources(configuration.sources.map(\.name))
        }
        return try await with(configuration, isOffline: isOffline, access, requests, isQuiet: isQuiet) {
            try await body($0.all[0])
        }
    }

    /// The same with a gateway for each source of the configuration, or only for the source of a resource.
    func withGateways<Result>(
        of resource: DeclaredResource? = nil, isOffline: Bool = false, access: StorageAccess = .reading,
        _ requests: RequestOptions? = nil, _ body: (Gateways) async throws -> Result
    ) async throws -> Result {
        try await with(try resource.map(load) ?? load(), isOffline: isOffline, access, requests, body)
    }

    /// The same for a command that must not create a storage: if there is none yet, a memory storage is used instead.
    func withGatewaysOverWhatIsThere<Result>(
        of resource: DeclaredResource? = nil, _ requests: RequestOptions? = nil,
        _ body: (Gateways) async throws -> Result
    ) async throws -> Result {
        let configuration = try resource.map(load) ?? load()
        let gateways: Gateways
        do {
            gateways = try await open(configuration, .writing, requests, isQuiet: false)
        } catch let error as PatchbayError where error.code == .notFound {
            gateways = try await open(
                configuration, .creating, storage: MemoryStorage(), requests, isQuiet: false)
        }
        return try await using(gateways, requests, isQuiet: false, body)
    }

    /// The same for a command that reads; passes `body` the policy from the options or the configuration.
    func withGateway<Result>(
        of resource: DeclaredResource, _ policy: PolicyOptions, access: StorageAccess = .reading,
        _ requests: RequestOptions? = nil, isQuiet: Bool = false,
        _ body: (Gateway, Policy) async throws -> Result
    ) async throws -> Result {
        let configuration = try load(resource)
        return try await withGateway(
            configuration, try policy.policy(in: configuration), access: access, requests, isQuiet: isQuiet,
            body)
    }

    /// The same for a command that has already read the configuration, which must have one source. If another process
    /// keeps the storage open for writing, a command that reads is passed `local-only`, because no fetched rows could
    /// be saved.
    func withGateway<Result>(
        _ configuration: GatewayConfiguration, _ policy: Policy, access: StorageAccess = .reading,
        _ requests: RequestOptions? = nil, isQuiet: Bool = false,
        _ body: (Gateway, Policy) async throws -> Result
    ) async throws -> Result {
        let gateways: Gateways, effective: Policy
        do {
            gateways = try await opened(
                configuration, isOffline: policy == .localOnly, access, requests, isQuiet: isQuiet)
            effective = policy
        } catch let error as PatchbayError
            where error.code == .busy && error.server == nil && access == .reading && policy != .localOnly
            && policy != .refresh
        {
            gateways = try await openOffline(configuration, access, isQuiet: isQuiet)
            effective = .localOnly
            Message.note("\(error.oneLine); meanwhile, stored rows are shown")
        }
        return try await using(gateways, requests, isQuiet: isQuiet || effective == .localOnly) {
            try await body($0.all[0], effective)
        }
    }

    private func with<Result>(
        _ configuration: GatewayConfiguration, isOffline: Bool, _ access: StorageAccess,
        _ requests: RequestOptions?, isQuiet: Bool = false, _ body: (Gateways) async throws -> Result
    ) async throws -> Result {
        let gateways = try await opened(
            configuration, isOffline: isOffline, access, requests, isQuiet: isQuiet)
        // Offline, there are no requests to wait for.
        return try await using(gateways, requests, isQuiet: isQuiet || isOffline, body)
    }

    private func opened(
        _ configuration: GatewayConfiguration, isOffline: Bool, _ access: StorageAccess,
        _ requests: RequestOptions?, isQuiet: Bool
    ) async throws -> Gateways {
        isOffline
            ? try await openOffline(configuration, access, isQuiet: isQuiet)
            : try await open(configuration, .creating, requests, isQuiet: isQuiet)
    }

    /// Opens a storage to be read, which an earlier version may have written: then it is migrated first.
    private func openOffline(
        _ configuration: GatewayConfiguration, _ access: StorageAccess, isQuiet: Bool
    ) async throws -> Gateways {
        do {
            return try await open(configuration, access, isOffline: true, nil, isQuiet: isQuiet)
        } catch let error as PatchbayError where error.code == .unsupported && access == .reading {
            return try await open(configuration, .writing, isOffline: true, nil, isQuiet: isQuiet)
        }
    }

    private func open(
        _ configuration: GatewayConfiguration, _ access: StorageAccess, storage: (any Storage)? = nil,
        isOffline: Bool = false, _ requests: RequestOptions?, isQuiet: Bool
    ) async throws -> Gateways {
        let report = try requests?.report()
        let waiting: @Sendable (RateLimitWait) -> Void = { wait in
            if !isQuiet, !Terminal.isQuiet { WaitLine.errors.limited(wait) }
        }
        do {
            var gateways = try await ProgressBar.errors.showing {
                try await configuration.openAll(
                    access: access, storage: storage, isOffline: isOffline,
                    telemetry: Telemetry(report: report),
                    waiting: waiting, progress: $0)
            }
            gateways.maximumAge = requests?.maxAge
            return gateways
        } catch let error as PatchbayError where error.code == .notFound && isOffline {
            throw try ChosenStorage(configuration).missing
        }
    }

    private func using<Result>(
        _ gateways: Gateways, _ requests: RequestOptions?, isQuiet: Bool,
        _ body: (Gateways) async throws -> Result
    ) async throws -> Result {
        // Updates the countdown of waits while the command works.
        let ticks = Task {
            while !isQuiet, !Terminal.isQuiet, !Task.isCancelled {
                WaitLine.errors.tick()
                // Throws when cancelled, which the loop checks.
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { ticks.cancel() }
        let result: Result
        do {
            result = try await body(gateways)
        } catch {
            // The first error is the one to report.
            try? await gateways.close()
            requests?.writeStatistics(of: gateways)
            throw error
        }
        try await gateways.close()
        requests?.writeStatistics(of: gateways)
        return result
    }
}

extension Gateways {
    /// Returns the prefix of messages about one source: its word if there are several sources.
    func prefix(_ gateway: Gateway) -> String { all.count == 1 ? "" : gateway.word + ": " }
}

extension PatchbayError {
    /// The error of a command that needs a configuration with one source.
    static func severalSources(_ names: [String]) -> PatchbayError {
        PatchbayError(
            .invalidConfiguration,
            "the configuration has several sources, but this command takes one; choose it with --source: "
                + names.joined(separator: ", "))
    }
}

extension GatewayConfiguration {
    /// Returns the configuration with only the source of a resource.
    ///
    /// - Throws: `unsupported` when there are several sources and none of them has it.
    func choosing(_ resource: DeclaredResource) throws -> GatewayConfiguration {
        guard sources.count > 1 else { return self }
        if let source = resource.source { return try choosing(source) }
        throw CommandLineTool.unread.first
            ?? PatchbayError(
                .unsupported,
                "none of the sources \(sources.map(\.name).joined(separator: ", ")) provides \"\(resource.noun)\"; "
                    + "\"patchbay resources\" lists what they provide")
    }
}
