import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayNetworking

@Suite("Deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private let clock = ManualClock(Timestamp("2026-10-01T09:18:20Z")!)

    @Test("a request to a silent server fails when the time is over, and the error names the server")
    func silent() async throws {
        let network = HeldNetwork()
        let networking = network.layered(Deadline(.seconds(30), clock: clock.layerClock))
        let task = Task { await fault { try await networking.get("/users?access_token=s3cretish") } }
        await network.hasSent(1)
        await clock.hasBegun(sleeps: 1)
        clock.advance(by: .seconds(30))
        let error = await task.value
        #expect(error?.code == .offline && error?.isTimeout == true)
        #expect(
            error?.message == "\"api.example.org\" did not answer completely within 30 s, including retries "
                + "(source.deadline-seconds)")
        #expect(error?.url?.hasPrefix("https://api.example.org/users") == true)
        #expect(error?.url?.contains("s3cretish") == false)
        await network.hasCancelled(1)
    }

    @Test("all attempts share the time")
    func attempts() async throws {
        let network = HeldNetwork()
        let retry = Retry(clock: clock.layerClock) { 1 }
        let networking = network.layered(retry, Deadline(.seconds(30), clock: clock.layerClock))
        let task = Task { await fault { try await networking.get("/users") } }
        await network.hasSent(1)
        await clock.hasBegun(sleeps: 1)
        clock.advance(by: .seconds(20))
        network.failFirst(PatchbayError(.offline, "silent"))
        await clock.hasBegun(sleeps: 2)
        clock.advance(by: .seconds(1))
        await network.hasSent(2)
        clock.advance(by: .seconds(9))
        #expect(await task.value?.message.contains("within 30 s") == true)
    }

    @Test("a wait for a rate limit does not count, and is reported when it starts")
    func rateLimit() async throws {
        let waits = Mutex<[RateLimitWait]>([])
        let limit = RateLimit(clock: clock.layerClock) { wait in waits.withLock { $0.append(wait) } }
        let network = HeldNetwork()
        let networking = network.layered(limit, Deadline(.seconds(30), clock: clock.layerClock))
        let usedUp = Response.status(
            200,
            [
                "Date": "Thu, 01 Oct 2026 09:18:20 GMT", "X-RateLimit-Limit": "60",
                "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "\(1_790_846_300 + 49)",
            ])
        let first = Task { try await networking.get("/users") }
        await network.hasSent(1)
        network.answerFirst(usedUp)
        _ = try await first.value
        let begun = clock.sleeps.count
        let second = Task { try await networking.get("/users") }
        // One sleep of the deadline and one of the limit.
        await clock.hasBegun(sleeps: begun + 2)
        #expect(waits.withLock { $0 } == [RateLimitWait(server: "api.example.org", duration: .seconds(50))])
        clock.advance(by: .seconds(49))
        await clock.hasBegun(sleeps: begun + 3)
        clock.advance(by: .seconds(1))
        await network.hasSent(2)
        clock.advance(by: .seconds(29))
        network.answerFirst()
        #expect(try await second.value.head.status.code == 200)
    }

    @Test("a wait for the request's turn counts if the request does not wait for limits")
    func queue() async throws {
        let network = HeldNetwork(), limit = RateLimit(clock: clock.layerClock)
        let networking = network.layered(limit, Deadline(.seconds(3), clock: clock.layerClock))
        // Without a token, one request is sent at a time.
        let tasks = RateLimit.$waits.withValue(false) {
            (1...8).map { number in Task { await fault { try await networking.get("/users/\(number)") } } }
        }
        await clock.hasBegun(sleeps: 8)
        clock.advance(by: .seconds(3))
        for task in tasks {
            let error = await task.value
            #expect(error?.message.contains("did not answer completely within 3 s") == true)
        }
    }

    @Test("a turn of a pace after the deadline is refused at once if the request does not wait for limits")
    func pace() async throws {
        let limit = Pacing.Limit(requests: 1, period: .seconds(60)),
            network = ScriptedNetworking(.status(200))
        let pacing = Pacing([limit], waitAtMost: .seconds(600), clock: clock.layerClock)
        let networking = network.layered(pacing, Deadline(.seconds(30), clock: clock.layerClock))
        _ = try await networking.get("/users")
        let error = await RateLimit.$waits.withValue(false) {
            await fault { try await networking.get("/users") }
        }
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAt == clock.now().advanced(by: .seconds(61)))
        #expect(network.sent.count == 1)
    }
}
