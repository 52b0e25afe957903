import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayNetworking

@Suite("RateLimit")
struct RateLimitTests {
    private let clock = ManualClock(Timestamp("2026-10-01T09:18:20Z")!, jumps: true)
    private let log = RequestLog(clock: ManualClock().layerClock)
    /// The server's clock in its answers, an hour ahead of this machine's.
    private let date = "Thu, 01 Oct 2026 10:18:20 GMT"
    private let epoch: Int64 = 1_790_849_900

    private func limit(waitAtMost seconds: Int = 60, memory: BudgetMemory? = nil) -> RateLimit {
        var options = RateLimit.Options()
        options.waitAtMost = .seconds(seconds)
        return RateLimit(options, clock: clock.layerClock, memory: memory, log: log)
    }

    private func answer(
        _ status: Int = 200, remaining: Int, resetsIn seconds: Int64 = 30, resource: String = "core",
        _ fields: [String: String] = [:], _ body: String = ""
    ) -> Response {
        let told = [
            "Date": date, "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "\(remaining)",
            "X-RateLimit-Reset": "\(epoch + seconds)", "X-RateLimit-Resource": resource,
        ]
        return .status(status, told.merging(fields) { $1 }, body)
    }

    @Test(
        "a request waits for a used-up budget until a second after its reset, by the server's clock"
    )
    func waits() async throws {
        let networking = ScriptedNetworking(answer(remaining: 0), answer(remaining: 59)).layered(limit())
        _ = try await networking.get("/users")
        #expect(clock.sleeps.isEmpty)
        _ = try await networking.get("/users")
        #expect(clock.sleeps == [.seconds(31)])
        #expect(log.counts.waited == 1)
        #expect(log.counts.waitedTime == .seconds(31))
    }

    @Test("a wait that a body asks for delays the next request, and a refused one is sent again after it")
    func waitsInBodies() async throws {
        let network = ScriptedNetworking(
            .status(200, [:], "9"), .status(200), .status(400, [:], "7"),
            .status(429, ["Retry-After": "2"], "50"),
            .status(200))
        let limit = RateLimit(
            clock: clock.layerClock,
            bodyLimit: {
                BodyLimit(wait: RetryAfter(String(decoding: $0.body, as: UTF8.self)), isRefusal: false)
            })
        let networking = network.layered(limit)
        _ = try await networking.get("/users")
        #expect(clock.sleeps.isEmpty)
        _ = try await networking.get("/repos")
        #expect(clock.sleeps == [.seconds(9)])
        #expect(try await networking.get("/users").head.status == .ok)
        #expect(clock.sleeps == [.seconds(9), .seconds(7), .seconds(2)] && network.sent.count == 5)
    }

    @Test(
        "a request that a body refuses with the status 200 is sent again after the wait that a 429 would have"
    )
    func refusedInBodies() async throws {
        let limit = RateLimit(
            clock: clock.layerClock,
            bodyLimit: { answer in
                let words = String(decoding: answer.body, as: UTF8.self).split(separator: " ")
                return BodyLimit(
                    wait: words.last.flatMap { RetryAfter(String($0)) }, isRefusal: words.first == "limited")
            })
        func answer(_ answers: Response...) async throws -> [Duration] {
            let before = clock.sleeps.count
            let network = ScriptedNetworking { _, _, number in answers[number] }
            let answer = try await network.layered(limit).get("/users")
            #expect(answer.body == Array("rows".utf8))
            return Array(clock.sleeps.dropFirst(before))
        }
        let rows = Response.status(200, [:], "rows")
        let asked = try await answer(
            .status(200, ["Retry-After": "3"], "limited 50"), .status(200, [:], "limited 7"), rows)
        #expect(asked == [.seconds(3), .seconds(7)])
        #expect(try await answer(.status(200, [:], "limited"), rows) == [.seconds(60)])
        await #expect {
            _ = try await ScriptedNetworking(.status(200, [:], "limited 61")).layered(limit).get("/users")
        } throws: { ($0 as? PatchbayError)?.code == .rateLimited }
    }

    @Test("a new period has its own budget, however soon it ends")
    func shortPeriods() async throws {
        let network = ScriptedNetworking(
            answer(remaining: 0, resetsIn: 1), answer(remaining: 9, resetsIn: 1), answer(remaining: 8))
        let networking = network.layered(limit())
        for _ in 1...3 { _ = try await networking.get("/users") }
        #expect(clock.sleeps == [.seconds(2)])
    }

    @Test("longer waits are refused without sending, with the time to try again")
    func refuses() async throws {
        let network = ScriptedNetworking(answer(remaining: 0, resetsIn: 725))
        let networking = network.layered(limit())
        _ = try await networking.get("/users")
        for number in 0..<10 {
            let error = await fault { try await networking.get("/users/\(number)") }
            #expect(error?.code == .rateLimited)
            #expect(
                error?.message == "the rate limit of api.example.org is used up; try again in 12 min 6 s, "
                    + "at 2026-10-01T09:30:26Z; a token may have a higher limit")
        }
        #expect(network.sent.count == 1)
        #expect(log.counts.refused == 10)
        clock.advance(by: .seconds(726))
        _ = try await networking.get("/users")
        #expect(network.sent.count == 2)
    }

    @Test("a request that must not wait fails at once, with the time when a limit without a reset opens")
    func impatient() async throws {
        let network = ScriptedNetworking(.status(403, ["X-RateLimit-Remaining": "0"]), .status(200))
        let networking = network.layered(limit())
        try await RateLimit.$waits.withValue(false) {
            let opensAt = clock.now().advanced(by: .seconds(60))
            for _ in 1...3 {
                let error = await fault { try await networking.get("/users") }
                #expect(error?.code == .rateLimited && error?.retryAt == opensAt)
                clock.advance(by: .seconds(20))
            }
            #expect(network.sent.count == 1 && clock.sleeps.isEmpty)
            let answer = try await networking.get("/users")
            #expect(answer.head.status.code == 200)
        }
    }

    @Test("waits do not depend on this machine's clock")
    func clockIsSet() async throws {
        let networking = ScriptedNetworking(answer(remaining: 0), answer(remaining: 59)).layered(limit())
        _ = try await networking.get("/users")
        clock.set(Timestamp("1999-01-01T00:00:00Z")!)
        _ = try await networking.get("/users")
        #expect(clock.sleeps == [.seconds(31)])
    }

    @Test(
        "a primary limit is a 403 or 429 with nothing left, and is sent again after the wait",
        arguments: [403, 429])
    func primary(_ status: Int) async throws {
        let refused = answer(status, remaining: 0, [:], #"{"message":"API rate limit exceeded"}"#)
        let network = ScriptedNetworking(refused, answer(remaining: 59))
        #expect(try await network.layered(limit()).get("/users").head.status.code == 200)
        #expect(clock.sleeps == [.seconds(31)])
    }

    @Test(
        "Retry-After comes first, in seconds or as a date of the server's clock",
        arguments: ["7", "Thu, 01 Oct 2026 10:18:27 GMT"])
    func retryAfter(_ text: String) async throws {
        let network = ScriptedNetworking(
            answer(403, remaining: 10, ["Retry-After": text]), answer(remaining: 9))
        #expect(try await network.layered(limit()).get("/users").head.status.code == 200)
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test(
        "a secondary limit without a time lasts a minute, doubles each time, and then fails"
    )
    func secondary() async throws {
        let body = #"{"message":"You have exceeded a secondary rate limit."}"#
        let network = ScriptedNetworking(answer(403, remaining: 10, [:], body))
        let error = await fault { try await network.layered(limit(waitAtMost: 3_600)).get("/users") }
        #expect(clock.sleeps == [.seconds(60), .seconds(120), .seconds(240)])
        #expect(network.sent.count == RateLimit.refusalsMax)
        #expect(error?.code == .rateLimited)
        #expect(
            error?.message.hasPrefix(
                "the rate limit of api.example.org was exceeded; try again in 8 min") == true)
    }

    @Test("a secondary limit applies to all resources, a primary one only to its own")
    func scope() async throws {
        let primary = ScriptedNetworking { request, _, _ in
            request.path!.hasPrefix("/search")
                ? answer(remaining: 0, resetsIn: 3_000, resource: "search") : answer(remaining: 50)
        }
        let networking = primary.layered(limit())
        _ = try await networking.get("/search/users?q=x")
        #expect(await fault { try await networking.get("/search/users?q=y") }?.code == .rateLimited)
        _ = try await networking.get("/users")
        let secondary = ScriptedNetworking(answer(429, remaining: 10, ["Retry-After": "3000"]))
        let blocked = secondary.layered(limit())
        for path in ["/users", "/search/users?q=x", "/graphql", "/rate_limit"] {
            #expect(await fault { try await blocked.get(path) }?.code == .rateLimited, "\(path)")
        }
        #expect(secondary.sent.count == 1)
    }

    @Test("requests that are refused together count as one strike")
    func strikes() {
        var budgets = RateBudgets()
        let name = RateBudgets.Name(.get("/users"), resource: "core")
        let refused = Response.status(403, [:], #"{"message":"You have exceeded a secondary rate limit."}"#)
        for _ in 0..<4 {
            let moment = RateBudgets.Moment(clock.layerClock)
            let opensAt = budgets.learn(refused, for: name, at: moment)?.opensAt
            #expect(opensAt == moment.uptime + .seconds(60))
        }
        clock.advance(by: .seconds(61))
        let later = RateBudgets.Moment(clock.layerClock)
        #expect(budgets.learn(refused, for: name, at: later)?.opensAt == later.uptime + .seconds(120))
    }

    @Test("a 403 without a limit is returned")
    func forbidden() async throws {
        let body = #"{"message":"Resource not accessible by integration"}"#
        let network = ScriptedNetworking(answer(403, remaining: 10, [:], body))
        #expect(try await network.layered(limit()).get("/users").head.status.code == 403)
        #expect(network.sent.count == 1)
    }

    @Test("the request for limits is sent even when the budget is used up")
    func aboutLimits() async throws {
        let network = ScriptedNetworking(answer(remaining: 0, resetsIn: 3_000))
        let networking = network.layered(limit())
        _ = try await networking.get("/users")
        #expect(await fault { try await networking.get("/users") }?.code == .rateLimited)
        for path in ["/rate_limit", "/api/v3/rate_limit"] { _ = try await networking.get(path) }
        #expect(network.sent.count == 3)
    }

    @Test("each token has its own budget at each origin")
    func partitions() async throws {
        let network = ScriptedNetworking { request, _, _ in
            let isFirst =
                request.headerFields[.authorization] == "Bearer one" && request.authority == "api.example.org"
            return answer(remaining: isFirst ? 0 : 50, resetsIn: 3_000)
        }
        let networking = network.layered(limit())
        _ = try await networking.send(.get("/users", token: "one"), body: [])
        #expect(
            await fault { try await networking.send(.get("/users", token: "one"), body: []) }?.code
                == .rateLimited)
        _ = try await networking.send(.get("/users", token: "two"), body: [])
        var elsewhere = HTTPRequest.get("/users", token: "one")
        elsewhere.authority = "other.example.org"
        _ = try await networking.send(elsewhere, body: [])
        #expect(network.sent.count == 3)
    }

    @Test("answers that arrive out of order do not increase the budget")
    func order() {
        var budgets = RateBudgets()
        let name = RateBudgets.Name(.get("/users"), resource: "core")
        let moment = RateBudgets.Moment(clock.layerClock)
        for remaining in [57, 59, 58] {
            #expect(budgets.learn(answer(remaining: remaining), for: name, at: moment) == nil)
        }
        #expect(budgets.remaining(of: name, at: moment.uptime) == 57)
        _ = budgets.learn(answer(remaining: 60, resetsIn: 3_600), for: name, at: moment)
        #expect(budgets.remaining(of: name, at: moment.uptime) == 60)
    }

    @Test(
        "absurd numbers of a server do no harm",
        arguments: [
            ["X-RateLimit-Remaining": "-5"], ["X-RateLimit-Remaining": "99999999999999999999"],
            ["X-RateLimit-Reset": "-1"], ["X-RateLimit-Reset": "9223372036854775807"],
            ["X-RateLimit-Resource": "a/b \u{1b}[31m"], ["X-RateLimit-Limit": "many"], ["Date": "yesterday"],
        ])
    func hostile(_ fields: [String: String]) async throws {
        let networking = ScriptedNetworking(answer(remaining: 3, fields)).layered(limit())
        _ = try await networking.get("/users")
        let error = await fault { try await networking.get("/users") }
        #expect(error == nil || error?.code == .rateLimited)
        let refusal = ScriptedNetworking(answer(429, remaining: 0, ["Retry-After": "99999999999999999999"]))
        let message = await fault { try await refusal.layered(limit()).get("/users") }?.message
        #expect(message?.contains("try again in 24 h") == true)
    }

    @Test("the number of budgets is bounded; those that open first are dropped")
    func bounded() {
        var budgets = RateBudgets()
        let moment = RateBudgets.Moment(clock.layerClock)
        for number in 0..<1_000 {
            let name = RateBudgets.Name(.get("/", token: "token\(number)"), resource: "core")
            _ = budgets.learn(answer(remaining: 5, resetsIn: Int64(number + 10)), for: name, at: moment)
        }
        #expect(budgets.stored(at: moment.uptime).count == RateBudgets.countMax)
        let last = RateBudgets.Name(.get("/", token: "token999"), resource: "core")
        #expect(budgets.remaining(of: last, at: moment.uptime) == 5)
    }
}
