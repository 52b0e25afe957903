import Patchbay
import PatchbayCore
import PatchbayNetworking
import PatchbayTerminal

/// The checks of `patchbay doctor`, ordered so that each depends only on those before it.
struct Checkup {
    let options: ConfigurationOptions
    let requests: RequestOptions
    let isOffline: Bool

    /// A storage with more rows is only opened, because verifying it would take long.
    static let verifiedRowsMax = 100_000
    /// With a larger clock offset, budgets and ages are wrong.
    static let clockOffsetMax = Duration.seconds(10)
    /// Warns about a token that expires within this time.
    static let expiryNotice = Duration.seconds(7 * 86_400)

    func run() async throws -> [Check] {
        let configuration: GatewayConfiguration, faults: [PatchbayError]
        do {
            (configuration, faults) = try options.loadWithFaults()
        } catch {
            return [.fail("configuration", error)]
        }
        guard faults.isEmpty else { return faults.map { .fail("configuration", $0) } }
        let file = configuration.file.map { "\"\($0)\"" } ?? "no file, defaults"
        let chosen = configuration.configuration
        var checks: [Check] = [
            .ok(
                "configuration",
                "\(file): \(configuration.sourceWords), storage \(chosen.plugin("storage"))")
        ]
        checks += await storage(configuration)
        checks += await sources(configuration)
        return checks
    }

    /// Runs the checks of each source; if there are several, the checks are named after them.
    private func sources(_ configuration: GatewayConfiguration) async -> [Check] {
        var checks: [Check] = []
        if configuration.sources.count > 1 {
            do { _ = try await configuration.declaredSources() } catch {
                checks.append(.fail("sources", error))
            }
        }
        for each in configuration.sources {
            let found: [Check]
            do {
                found = try await source(configuration.choosing(each.name), each)
            } catch {
                found = [.fail("source", error)]
            }
            checks +=
                configuration.sources.count == 1 ? found : found.map { $0.named("\(each.name) \($0.name)") }
        }
        return checks
    }

    private func storage(_ configuration: GatewayConfiguration) async -> [Check] {
        do {
            let chosen = try ChosenStorage(configuration)
            do {
                let checks: [Check] = try await chosen.withStore { store in
                    try Schema.gateway.requireNotOlder(than: store.schema)
                    try await store.requireFinishedCopy()
                    return try await [verified(store, chosen.name)] + concerns(of: store) + waits(store)
                }
                // Nothing is written to a damaged storage.
                if case .fail = checks[0].verdict { return checks }
                return await checks + [obstacle(to: chosen)].compactMap(\.self)
            } catch let error as PatchbayError where error.code == .notFound {
                let obstacle = obstacleToCreating(chosen)
                return [
                    obstacle
                        ?? .ok("storage", "nothing is stored at \"\(chosen.place ?? chosen.plugin)\" yet")
                ]
            }
        } catch {
            return [.fail("storage", error)]
        }
    }

    /// Returns the dangers that the storage itself reports.
    private func concerns(of store: Store) async throws -> [Check] {
        try await store.storage.describe().concerns.map { .warn("storage", $0.finding, $0.advice) }
    }

    /// Returns the servers whose last answers asked to send no requests for a while.
    private func waits(_ store: Store) async throws -> [Check] {
        try await store.budgetsInForce().filter { $0.remaining <= 0 }.map {
            .warn(
                "limits", "\($0.origin) asked to wait until \($0.resetsAt)",
                "wait until then, or use stored data")
        }
    }

    private func verified(_ store: Store, _ name: String) async throws -> Check {
        var rows = 0
        for collection in store.schema.transferable.collections {
            rows += try await store.read { try $0.count(Query(collection)) }
        }
        guard rows <= Self.verifiedRowsMax else {
            return .ok("storage", "\(name) opens, \(rows) rows; \"patchbay storage verify\" checks them")
        }
        let verification = try await store.verify()
        guard let fault = verification.faults.first else {
            return .ok("storage", "\(name) opens, no faults in \(rows) rows")
        }
        let words = [fault.file, fault.place].compactMap(\.self) + [fault.message]
        return .fail("storage", PatchbayError(.corrupted, words.joined(separator: ": ")))
    }
}

// MARK: - The source

extension Checkup {
    private func source(
        _ configuration: GatewayConfiguration, _ choice: EffectiveConfiguration.Choice
    ) async throws -> [Check] {
        let report = isOffline ? nil : try requests.report()
        let source: Source
        do {
            source = try await configuration.openSource(report: report)
        } catch {
            return [.fail("source", error)]
        }
        let token = token(configuration, choice.key, of: source)
        var checks = [token]
        if source.requests == nil {
            checks = [.ok("reachability", "\(source.name) needs no network")]
        } else if isOffline {
            checks.append(.skip("reachability", "not checked (offline)"))
        } else {
            checks = await reachabilityChecks(source, token, choice.key)
        }
        try await source.close?()
        requests.writeStatistics(of: source, choice.key == "source" ? "" : choice.name + ": ")
        return checks
    }

    private func token(_ configuration: GatewayConfiguration, _ key: String, of source: Source) -> Check {
        let key = key + ".token"
        let entry = configuration.configuration.entries.first { $0.key == key }
        guard let entry else {
            return source.sendsToken
                ? .warn("token", "none is set", "set \(key); without one, few requests are allowed")
                : .ok("token", "none is needed (the definition sets no auth)")
        }
        guard source.sendsToken else {
            return .warn(
                "token", "not sent (the definition sets no auth)",
                "set auth in the definition, or remove \(key)")
        }
        return .ok("token", "read from \(Message.withoutSecrets(entry.value.shownText))")
    }

    /// Requests the source's status, which decides four checks.
    private func reachabilityChecks(_ source: Source, _ token: Check, _ key: String) async -> [Check] {
        guard let fetchStatus = source.status else {
            return [token, .skip("reachability", "not checked (the definition names no check)")]
        }
        do {
            let status = try await fetchStatus()
            let now = Timestamp.now()
            return [
                expiry(status, token, now), .ok("reachability", "\(source.name) answers"), clock(status, now),
                limits(status),
            ]
        } catch let error as PatchbayError where error.code == .unauthorized {
            return [.fail("token", error), .ok("reachability", "\(source.name) answers")]
        } catch let error as PatchbayError where error.code == .rateLimited {
            return [token, .ok("reachability", "\(source.name) answers"), .fail("limits", error)]
        } catch let error as PatchbayError where error.code == .notFound {
            return [
                token, .fail("reachability", error, "check \(key).base-url: the API is not at this address"),
            ]
        } catch {
            return [token, .fail("reachability", error)]
        }
    }

    private func expiry(_ status: SourceStatus, _ token: Check, _ now: Timestamp) -> Check {
        guard let end = status.credentialsExpireAt else { return token }
        guard end > now else {
            return .warn("token", "\(token.finding); it expired at \(end)", "create a new one")
        }
        let left = now.age(at: end)
        let finding = "\(token.finding); it expires at \(end), in \(Age.text(left))"
        return left < Self.expiryNotice ? .warn("token", finding, "create a new one") : .ok("token", finding)
    }

    private func clock(_ status: SourceStatus, _ now: Timestamp) -> Check {
        guard let server = status.serverTime else { return .ok("clock", "the source reports no time") }
        let offset = max(now.age(at: server), server.age(at: now))
        let words = "\(offset.components.seconds) s off the source's"
        return offset > Self.clockOffsetMax
            ? .warn("clock", words, "set this machine's clock") : .ok("clock", words)
    }

    private func limits(_ status: SourceStatus) -> Check {
        guard let tightest = status.limits.first(where: { $0.resource == "core" }) ?? status.limits.first
        else { return .ok("limits", "the source reports no limits") }
        let reset = tightest.resetsAt.map { " until \($0)" } ?? ""
        let finding = "\(tightest.remaining) of \(tightest.limit) requests left\(reset)"
        return tightest.remaining > 0
            ? .ok("limits", finding) : .warn("limits", finding, "wait until then, or use stored data")
    }
}

/// One finding of `patchbay doctor`.
struct Check {
    enum Verdict {
        case ok, warn
        /// Nothing was checked.
        case skip
        /// A failure, with the exit status that it has in other commands.
        case fail(ExitStatus)

        var word: String {
            switch self {
            case .ok: "ok"
            case .warn: "warn"
            case .skip: "skip"
            case .fail: "fail"
            }
        }
    }

    let name: String
    let verdict: Verdict
    let finding: String
    let advice: String?

    func named(_ name: String) -> Check {
        Check(name: name, verdict: verdict, finding: finding, advice: advice)
    }

    static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, verdict: .ok, finding: finding, advice: nil)
    }

    static func skip(_ name: String, _ finding: String) -> Check {
        Check(name: name, verdict: .skip, finding: finding, advice: nil)
    }

    static func warn(_ name: String, _ finding: String, _ advice: String) -> Check {
        Check(name: name, verdict: .warn, finding: finding, advice: advice)
    }

    static func fail(_ name: String, _ error: any Error, _ advice: String? = nil) -> Check {
        let error = error as? PatchbayError ?? PatchbayError(.internalError, "\(error)")
        return Check(
            name: name, verdict: .fail(ExitStatus(error.code)), finding: error.oneLine,
            advice: advice ?? ErrorReference.advice(error.code))
    }
}
