import HTTPTypes
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayNetworking
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("State, limits and metrics")
struct StatusTests {
    @Test("the server is ready while its storage can be read, and always live")
    func ready() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/live").json["state"]?.word == "live")
        #expect(await fixture.get("/-/ready").json["state"]?.word == "ready")
        try await fixture.gateway.close()
        #expect(await fixture.get("/-/live").status == 200)
        #expect(await fixture.get("/-/ready").status == 503)
    }

    @Test("limits are those of the last answers")
    func limits() async throws {
        let fixture = try await APIFixture(schema: .gateway)
        #expect(await fixture.get("/-/limits").json.elements.isEmpty)
        let resets = fixture.clock.now().advanced(by: .seconds(60))
        try await fixture.gateway.store.write { writing in
            for (resource, remaining) in [("core", 57), ("search", 3)] {
                try writing.put(
                    StoredBudget(
                        origin: "https://api.example.org", token: "0123456789", resource: resource, limit: 60,
                        remaining: Int64(remaining), resetsAt: resets))
            }
        }
        let limits = await fixture.get("/-/limits").json.elements
        #expect(limits.map { $0["remaining"]?.word } == ["57", "3"])
        #expect(limits[0]["resets_at"]?.word == resets.description)
        let text = await fixture.get("/-/metrics").text
        #expect(
            text.contains(
                #"patchbay_limit_remaining{server="https://api.example.org",token="0123456789",resource="core"} 57"#
            ))
        // The clock was days ahead when the limits were noted.
        fixture.clock.set(resets.advanced(by: .seconds(-3 * 86_400)))
        #expect(await fixture.get("/-/limits").json.elements.isEmpty)
        fixture.clock.set(resets.advanced(by: .seconds(1)))
        #expect(await fixture.get("/-/limits").json.elements.isEmpty)
    }

    @Test("a storage without budgets has no limits")
    func noBudgets() async throws {
        #expect(try await APIFixture().get("/-/limits").json.elements.isEmpty)
    }

    @Test("metrics of gateways, clients and the process are in the format of Prometheus")
    func metrics() async throws {
        let fixture = try await APIFixture()
        let telemetry = Telemetry(metrics: fixture.figures.metrics)
        telemetry.served(.seconds(90), .localOnly)
        fixture.figures.metrics.count("patchbay_rows_total", [("collection", "test_people")], 20)
        fixture.figures.metrics.set("patchbay_budget_remaining", 57)
        let answer = await fixture.get("/-/metrics")
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            "# TYPE patchbay_answer_age_seconds histogram",
            #"patchbay_answer_age_seconds_bucket{outcome="local-only",le="60"} 0"#,
            #"patchbay_answer_age_seconds_bucket{outcome="local-only",le="300"} 1"#,
            #"patchbay_answer_age_seconds_bucket{outcome="local-only",le="+Inf"} 1"#,
            #"patchbay_answer_age_seconds_sum{outcome="local-only"} 90"#,
            #"patchbay_answer_age_seconds_count{outcome="local-only"} 1"#,
            #"patchbay_rows_total{collection="test_people"} 20"#, "patchbay_budget_remaining 57",
            "patchbay_event_listeners 0", "# TYPE process_cpu_seconds_total counter",
            "# TYPE process_resident_memory_bytes gauge", "# TYPE process_open_fds gauge",
        ] {
            #expect(answer.text.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
    }

    @Test("requests are counted by client, method and status, answers by origin")
    func requests() async throws {
        let fixture = try await APIFixture()
        let measured = MeasuringResponder(
            fixture.api, fixture.figures, uptime: fixture.clock.layerClock.uptime)
        func get(_ path: String, _ agent: String?, _ method: HTTPRequest.Method = .get) async {
            let fields = agent.map { ["User-Agent": $0] } ?? [:]
            _ = await measured.respond(to: APIFixture.request(method, path, fields))
        }
        await get("/-/resources/people?limit=20", "curl/7.88.1")
        await get("/-/resources/people?limit=20", "GitHub CLI 2.23")
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        await get("/-/resources/people?limit=20&policy=refresh", "curl/8.0")
        await get("/-/nothing", nil)
        await get("/-/live", "curl/8.0", HTTPRequest.Method(rawValue: "BREW")!)
        let text = fixture.figures.text(at: fixture.clock.now())
        for line in [
            #"patchbay_server_requests_total{client="curl",method="GET",status="200"} 2"#,
            #"patchbay_server_requests_total{client="github",method="GET",status="200"} 1"#,
            #"patchbay_server_requests_total{client="other",method="GET",status="404"} 1"#,
            #"patchbay_server_requests_total{client="curl",method="other",status="405"} 1"#,
            #"patchbay_server_cache_total{kind="miss"} 1"#, #"patchbay_server_cache_total{kind="hit"} 1"#,
            #"patchbay_server_cache_total{kind="stale"} 1"#,
            #"patchbay_server_duration_seconds_count{part="api"} 5"#,
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
    }

    @Test("the numbers of clients and labels are bounded")
    func bounded() async throws {
        let fixture = try await APIFixture()
        let measured = MeasuringResponder(fixture.api, fixture.figures)
        for number in 0..<200 {
            _ = await measured.respond(
                to: APIFixture.request(.get, "/-/live", ["User-Agent": "client\(number)/1"]))
        }
        for number in 0..<2_000 { fixture.figures.metrics.count("own_total", [("number", "\(number)")], 1) }
        let lines = fixture.figures.text(at: fixture.clock.now()).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("patchbay_server_requests_total{") } == 51)
        #expect(lines.count { $0.hasPrefix("own_total{") } == 1_000)
    }

    @Test("labels are escaped")
    func labels() throws {
        let figures = PrometheusMetrics()
        figures.metrics.count("own_total", [("text", "a\"b\\c\nd")], 1)
        let text = figures.text(at: Timestamp(milliseconds: 0))
        #expect(text.contains(#"own_total{text="a\"b\\c\nd"} 1"#))
    }
}
