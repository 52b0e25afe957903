import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayNetworking
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Syncs over HTTP")
struct SyncTests {
    @Test("a sync is accepted at once, and its address reports the progress")
    func sync() async throws {
        let fixture = try await APIFixture()
        let started = await fixture.send(.post, "/-/resources/people/sync")
        #expect(started.status == 202)
        #expect(started["Location"] == "/-/syncs/1")
        #expect(started.json["resource"]?.word == "people")
        await fixture.api.api.syncs.settle()
        let ended = await fixture.get("/-/syncs/1").json
        #expect(ended["state"]?.word == "complete")
        #expect(ended["rows"]?.word == "50")
        #expect(ended["added"]?.word == "50")
        #expect(ended["pages"]?.word == "3")
        #expect(ended["error"]?.word == nil)
        #expect(await fixture.get("/-/resources/people?by=key&limit=100").ids == Array(1...50))
        #expect(await fixture.get("/-/syncs").json.elements.count == 1)
        let resources = await fixture.get("/-/resources").json.elements
        #expect(resources[0]["count"]?.word == "50")
        #expect(resources[0]["fetched_at"]?.word == fixture.clock.now().description)
        #expect(resources[1]["fetched_at"]?.word == nil)
    }

    @Test("a list is not fetched twice at the same time, but another list can be")
    func oneAtATime() async throws {
        let gate = GatedFeed()
        let fixture = try await APIFixture(gate)
        let one = await fixture.send(.post, "/-/resources/people/sync")
        for options in ["", "?details=true", "?restart=true&max-requests=1"] {
            let same = await fixture.send(.post, "/-/resources/people/sync" + options)
            #expect(one["Location"] == same["Location"])
        }
        let other = await fixture.send(.post, "/-/resources/projects/sync?of=octocat")
        #expect(other["Location"] == "/-/syncs/2")
        gate.open()
        await fixture.api.api.syncs.settle()
        #expect(fixture.feed.requests.count { $0.hasPrefix("people after 0") } == 1)
        #expect(await fixture.send(.post, "/-/resources/people/sync")["Location"] == "/-/syncs/3")
    }

    @Test("a sync can be interrupted, and the next one resumes from there")
    func interrupt() async throws {
        let gate = GatedFeed(passing: 1)
        let fixture = try await APIFixture(gate)
        let address = await fixture.send(.post, "/-/resources/people/sync")["Location"] ?? ""
        await gate.hasWaiting()
        #expect(await fixture.send(.delete, address).status == 204)
        #expect(await fixture.get(address).status == 404)
        _ = await fixture.send(.post, "/-/resources/people/sync")
        await fixture.api.api.syncs.settle()
        #expect(fixture.feed.requests.count { $0.hasPrefix("people after 0") } == 1)
        #expect(await fixture.get("/-/resources/people?by=key&limit=100").ids.count == 50)
    }

    @Test("a client with a token of its own interrupts only its own syncs, and the owner all of them")
    func interruptedByClient() async throws {
        let metered = try await Metered()
        let sync = Probe("/-/resources/people/sync", .post)
        for (starter, other, status) in [
            (nil, Metered.token, 403), (Metered.token, nil, 204), (Metered.token, Metered.token, 204),
        ] as [(String?, String?, Int)] {
            let address = await metered.send(sync, token: starter)["Location"] ?? ""
            await metered.fixture.api.api.syncs.settle()
            #expect(await metered.send(Probe(address, .delete), token: other).status == status)
            #expect(await metered.send(Probe(address), token: nil).status == (status == 204 ? 404 : 200))
        }
    }

    @Test("a sync that uses the budget of a client is not the answer to another one")
    func budgets() async throws {
        let gate = GatedFeed()
        let fixture = try await APIFixture(gate)
        func start(_ client: ServingClient?) async -> Int {
            await ServingClient.$current.withValue(client) {
                await fixture.send(.post, "/-/resources/people/sync").status
            }
        }
        #expect(await start(.named("a")) == 202)
        #expect(await start(.named("a")) == 202)
        #expect(await start(.named("b")) == 409)
        #expect(await start(nil) == 409)
        gate.open()
        await fixture.api.api.syncs.settle()
        #expect(await start(nil) == 202)
        await fixture.api.api.syncs.settle()
    }

    @Test("one client gets a part of the syncs that may run at once")
    func shares() async throws {
        let gate = GatedFeed()
        let fixture = try await APIFixture(gate)
        let served = try fixture.api.api.gateways.resource(named: "people")
        func start(_ numbers: ClosedRange<Int>, _ client: ServingClient) -> Int {
            ServingClient.$current.withValue(client) {
                numbers.count { number in
                    let subject = SyncSubject(served, list: nil, of: ["\(number)"])
                    // A refusal is counted.
                    let run = try? fixture.api.api.syncs.start(
                        subject, served.sync(list: nil, of: [], maximumRequests: nil))
                    return run != nil
                }
            }
        }
        #expect(start(1...8, .named("a")) == 6)
        #expect(start(11...18, .tokenBearer) == 1)
        #expect(start(21...28, .owner) == 1)
        await fixture.api.stop()
    }

    @Test("stopping the server interrupts syncs and waits for them")
    func stop() async throws {
        let gate = GatedFeed()
        let fixture = try await APIFixture(gate)
        _ = await fixture.send(.post, "/-/resources/people/sync")
        await gate.hasWaiting()
        await fixture.api.stop()
        #expect(await fixture.get("/-/syncs/1").json["state"]?.word == "interrupted")
        #expect(await fixture.send(.post, "/-/resources/people/sync").status == 429)
    }

    @Test("a failed sync reports the reason and when to try again")
    func failure() async throws {
        let fixture = try await APIFixture()
        let error = PatchbayError(
            .rateLimited, "used up at https://h.example/?token=s3cret-1234",
            [.retryAt(Timestamp("2027-01-01T00:00:00Z")!)])
        fixture.feed.answers.fail(with: error, afterAnswers: 1)
        let address = await fixture.send(.post, "/-/resources/people/sync")["Location"] ?? ""
        await fixture.api.api.syncs.settle()
        let ended = await fixture.get(address).json
        #expect(ended["state"]?.word == "failed")
        #expect(ended["error"]?.word == "rate limited")
        #expect(ended["message"]?.word == "used up at https://h.example/?token=REDACTED")
        #expect(ended["retry_at"]?.word == "2027-01-01T00:00:00Z")
        #expect(ended["rows"]?.word == "20")
    }

    @Test("when a limit is used up, readers are answered at once, and a sync waits")
    func limit() async throws {
        let clock = ManualClock(), server = LimitedServer()
        let limited = server.layered(RateLimit(clock: clock.layerClock))
        let fixture = try await APIFixture { [limited] source in
            source.feed = source.feed.map { feed in
                InterruptedFeed(feed, before: { _ = try await limited.send(LimitedServer.request, body: []) })
            }
        }
        server.useUp()
        for _ in 1...2 {
            let refused = await fixture.get("/-/resources/people")
            #expect((refused.status, refused["Retry-After"]) == (429, "60"))
        }
        #expect(server.count == 1 && clock.sleeps.isEmpty)
        let address = await fixture.send(.post, "/-/resources/people/sync")["Location"] ?? ""
        await clock.hasBegun(sleeps: 1)
        #expect(clock.sleeps == [.seconds(60)])
        clock.advance(by: .seconds(60))
        await fixture.api.api.syncs.settle()
        #expect(await fixture.get(address).json["state"]?.word == "complete")
        server.useUp()
        let stored = await fixture.get("/-/resources/people?policy=remote-first&limit=3")
        #expect(stored.ids == [1, 2, 3])
        #expect(stored["Cache-Status"] == "patchbay; hit; detail=rate-limited")
        #expect(clock.sleeps.count == 1)
    }

    @Test("what a sync reports about a list whose rows are right is kept with it, each message once")
    func notes() async throws {
        let fixture = try await APIFixture(changes: ScriptedFeed.changes(50, of: 1))
        fixture.feed.change("changes") { $0.insert($0[5], at: 21) }
        var notes: [[String]] = []
        try await fixture.fetch("projects", "octocat")
        for _ in 1...3 {
            fixture.clock.advance(by: .seconds(3_600))
            let address =
                await fixture.send(.post, "/-/resources/changes/sync?of=octocat/p-1")["Location"] ?? ""
            await fixture.api.api.syncs.settle()
            notes.append(await fixture.get(address).json["notes"]?.elements.compactMap(\.word) ?? [])
        }
        #expect(notes[0].isEmpty && notes[1].count == 1 && notes[2].count == 1)
        #expect(notes[1].first?.hasPrefix("changes of octocat/p-1: 1 row came twice") == true, "\(notes)")
    }

    @Test("a sync accepts a list, a limit of requests, details, or the lists of all stored rows")
    func parameters() async throws {
        let fixture = try await APIFixture(people: 1...3, changes: ScriptedFeed.changes(2, of: 1))
        func sync(_ path: String) async -> JSONValue {
            let address = await fixture.send(.post, "/-/resources/" + path)["Location"] ?? ""
            await fixture.api.api.syncs.settle()
            return await fixture.get(address).json
        }
        #expect(await sync("projects/sync?list=all")["rows"]?.word == "5")
        #expect(await sync("people/sync?details=true")["requests"]?.word == "4")
        #expect(await sync("people/sync?restart=true&max-requests=1")["requests"]?.word == "1")
        #expect(await sync("changes/sync")["rows"]?.word == "2")
        #expect(await fixture.send(.post, "/-/resources/projects/sync").parameter == "of")
        #expect(await fixture.send(.post, "/-/resources/changes/sync?details=true").parameter == "details")
        #expect(await fixture.send(.post, "/-/resources/cars/sync").status == 404)
        #expect(await fixture.get("/-/syncs/99").status == 404)
        #expect(await fixture.get("/-/syncs/x").status == 400)
    }
}
