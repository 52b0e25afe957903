#if Live
import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import TestServer
import Testing

@Suite("Requests, counts and budgets of a gateway", .timeLimit(.minutes(5)))
struct GitHubRequestsLiveTests {
    private let folder: TemporaryDirectory
    private static let user = #"{"login": "ada", "id": 1, "type": "User", "site_admin": false}"#

    init() throws { folder = try TemporaryDirectory() }

    private func gateway(
        _ server: ScriptedServer, _ flags: [String: String] = [:],
        report: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) async throws -> Gateway {
        let values = [
            "source": "github", "source.base-url": "http://127.0.0.1:\(server.port)", "storage": "sqlite",
            "storage.path": folder.path + "/store.sqlite",
        ].merging(flags) { $1 }
        let configuration = try GatewayConfiguration(
            flags: values.map { .init($0.key, $0.value, name: "test") },
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin", "TOKEN": "t0ken"])
        return try await Gateway(configuration: configuration, telemetry: Telemetry(report: report))
    }

    private func limits(remaining: Int) -> [String] {
        let reset = Timestamp.now().milliseconds / 1_000 + 1_800
        return [
            "X-RateLimit-Limit: 60", "X-RateLimit-Remaining: \(remaining)", "X-RateLimit-Reset: \(reset)",
        ]
    }

    @Test("a budget is known before the first request of the next run, and respected")
    func budgets() async throws {
        let server = try await ScriptedServer([
            "/users/ada": [.answer(Self.user, fields: limits(remaining: 0))]
        ])
        let first = try await gateway(server)
        #expect(await first.source.budget?() == nil)
        _ = try await first.show("users", "ada").ending
        #expect(await first.source.budget?()?.remaining == 0)
        try await first.close()
        let second = try await gateway(server, ["source.wait-at-most-seconds": "1"])
        #expect(await second.source.budget?()?.remaining == 0)
        #expect(try await second.sync("users").plan().budget?.remaining == 0)
        guard case .failed(let error) = try await second.show("users", "ada").ending.outcome else {
            Issue.record("the budget was not honoured")
            return
        }
        #expect(error.code == .rateLimited)
        #expect(server.seen.requests.count == 1)
        try await second.close()
        let other = try await gateway(server, ["source.token": "env:TOKEN"])
        #expect(await other.source.budget?() == nil)
        try await other.close()
    }

    @Test("the last budget of a run is saved, however short the run was")
    func lastBudget() async throws {
        let server = try await ScriptedServer([
            "/users/ada": [.answer(Self.user, fields: limits(remaining: 30))],
            "/users/eve": [.answer(Self.user, fields: limits(remaining: 29))],
        ])
        let first = try await gateway(server)
        for login in ["ada", "eve"] { _ = try await first.show("users", login).ending }
        try await first.close()
        let second = try await gateway(server)
        #expect(await second.source.budget?()?.remaining == 29)
        try await second.close()
    }

    @Test("a token from a command is read again when it is refused, but only once")
    func tokenAgain() async throws {
        let count = folder.path + "/count"
        let script = try folder.write(
            "#!/bin/sh\necho x >> \(count)\necho token-$(wc -l < \(count))\n", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let refusal = ScriptedServer.Step.answer(
            #"{"message": "Bad credentials"}"#, status: "401 Unauthorized")
        let server = try await ScriptedServer(["/users/ada": [refusal]])
        let gateway = try await gateway(server, ["source.token": "command:\(script)"])
        guard case .failed(let error) = try await gateway.show("users", "ada").ending.outcome else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .unauthorized)
        let tokens = server.seen.requests.compactMap { request in
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization:") }
        }
        #expect(tokens.map { $0.suffix(7) } == ["token-1", "token-2"])
        try await gateway.close()
    }

    @Test("validators are bound to the token; with another one the request is unconditional")
    func partitions() async throws {
        let server = try await ScriptedServer([
            "/users/ada": [.answer(Self.user, fields: ["ETag: \"x\""])]
        ])
        for flags in [[:], ["source.token": "env:TOKEN"], ["source.token": "env:TOKEN"]] {
            let gateway = try await gateway(server, flags)
            _ = try await gateway.show("users", "ada").ending
            try await gateway.close()
        }
        let isConditional = server.seen.requests.map { $0.lowercased().contains("if-none-match") }
        #expect(isConditional == [false, false, true])
    }

    @Test("a thousand callers for one user share one request, which ends when all of them are cancelled")
    func coalesced() async throws {
        // Accepts the request and never answers, so that every caller arrives while it is under way.
        let server = try await ScriptedServer(["/users/ada": []])
        let gateway = try await gateway(server)
        let feed = try #require(gateway.source.feed), users = try gateway.resource("users")
        let arrivals = Arrivals()
        let callers = (0..<1_000).map { _ in
            Task {
                arrivals.count.withLock { $0 += 1 }
                _ = try await feed.item("ada", of: users, ifChangedFrom: Validator())
            }
        }
        try await server.wait { $0.requests.count == 1 }
        while arrivals.count.withLock({ $0 < callers.count }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        for caller in callers { caller.cancel() }
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        try await server.wait { $0.openConnections == 0 }
        #expect(server.seen.requests.count == 1)
        try await gateway.close()
    }

    @Test("every request is reported, with the fingerprint of the token and without the token")
    func reported() async throws {
        let server = try await ScriptedServer(["/users/ada": [.answer(Self.user)]])
        let entries = Mutex<[RequestLogEntry]>([])
        let gateway = try await gateway(server, ["source.token": "env:TOKEN"]) { entry in
            entries.withLock { $0.append(entry) }
        }
        _ = try await gateway.show("users", "ada").ending
        try await gateway.close()
        let entry = try #require(entries.withLock { $0 }.first)
        #expect(entry.status == 200 && entry.tokenFingerprint == TokenFingerprint("t0ken"))
        #expect(!"\(entry)".contains("t0ken"))
    }

    @Test("cancelling a caller also cancels the requests under way, and starts no more")
    func cancelled() async throws {
        let logins = (1...50).map { "user\($0)" }
        // Accepts each request and never answers, except the first one, which reports that there is no limit.
        var answers = Dictionary(
            uniqueKeysWithValues: logins.map { ("/users/\($0)", [ScriptedServer.Step]()) })
        answers["/users/ada"] = [.answer(Self.user)]
        let server = try await ScriptedServer(answers)
        let gateway = try await gateway(server, ["source.token": "env:TOKEN", "source.concurrency": "4"])
        let users = try gateway.resource("users")
        _ = try await gateway.show("users", "ada").ending
        // Tasks are cancelled one after another, so a request that waits for the place of a cancelled one could be sent
        // just before its own cancellation. Here none waits: only four rows at a time are refreshed.
        let asking = Task { try await gateway.refresh(users, logins, concurrency: 4) }
        try await server.wait { $0.requests.count == 5 }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        try await server.wait { $0.openConnections == 0 }
        #expect(server.seen.requests.count == 5)
        #expect(server.seen.openConnectionsMost == 4)
        try await gateway.close()
    }
}

/// Counts callers that have started.
private final class Arrivals: Sendable {
    let count = Mutex(0)
}
#endif
