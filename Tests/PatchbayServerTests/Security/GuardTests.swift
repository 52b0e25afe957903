import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayServer

@Suite("Every answer is protected, and odd requests are refused")
struct GuardTests {
    private func answer(_ request: ServerRequest, _ fields: HTTPFields = [:]) async -> ServerResponse {
        await GuardedResponder(EchoResponder(fields), ServerOptions()).respond(to: request)
    }

    @Test("answers and refusals restrict browsers")
    func fields() async {
        for request in [Requests.make(), Requests.make(host: "evil.example"), Requests.make(.trace)] {
            let response = await answer(request)
            #expect(response["X-Content-Type-Options"] == "nosniff")
            #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
            #expect(response["Referrer-Policy"] == "no-referrer")
            #expect(response["Content-Security-Policy"]?.contains("default-src 'none'") == true)
            #expect(response["Access-Control-Allow-Origin"] == nil)
        }
        let page = await answer(Requests.make(), [.contentSecurityPolicy: "default-src 'self'"])
        #expect(page["Content-Security-Policy"] == "default-src 'self'", "the page has its own policy")
    }

    @Test("an answer in memory is checked, protected, counted and logged like any other")
    func readyAnswers() async throws {
        let proxy = EchoResponder([.init("Cache-Status")!: "patchbay; hit; ttl=1"])
        let figures = PrometheusMetrics(), logged = Mutex<[String]>([])
        let router = Router(api: EchoResponder(), proxy: proxy)
        var options = ServerOptions()
        options.token = "secret"
        let measured = MeasuringResponder(GuardedResponder(router, options), figures)
        let responder = LoggedResponder(measured, clock: ManualClock().layerClock) { request in
            logged.withLock { $0.append("\(request.target) \(request.status) \(request.cacheStatus ?? "")") }
        }
        let request = Requests.make(.get, "/ready", fields: [.init("Patchbay-Token")!: "secret"])
        let ready = try #require(responder.reply(to: request).ready)
        #expect(proxy.last?.head.headerFields.isEmpty == true)
        #expect(ready["Content-Security-Policy"] != nil)
        let later = responder.reply(to: Requests.make(fields: [.init("Patchbay-Token")!: "secret"]))
        #expect(later.ready == nil && proxy.count == 1, "nothing is done before the task")
        #expect(await later.response()["Content-Security-Policy"] != nil)
        let refusal = responder.reply(to: Requests.make(.get, "/ready", host: "evil.example")).ready
        #expect(refusal?.status == 421 && proxy.count == 2)
        #expect(logged.withLock { $0 } == ["/ready 200 hit", "/users 200 hit", "/ready 421 "])
        let text = figures.text(at: Timestamp(milliseconds: 0))
        for line in [
            #"patchbay_server_requests_total{client="other",method="GET",status="200"} 2"#,
            #"patchbay_server_cache_total{kind="hit"} 2"#,
            #"patchbay_server_duration_seconds_count{part="proxy"} 3"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("the value of a query parameter in which credentials are sent is not logged")
    func loggedParameters() async {
        let logged = Mutex<[String]>([])
        let responder = LoggedResponder(
            EchoResponder(), clock: ManualClock().layerClock, secretParameters: ["k"]
        ) { request in logged.withLock { $0.append(request.target) } }
        for target in ["/x?a=1&%6b=canary&&k=canary", "/k=1", "/x?token=canary"] {
            _ = await responder.respond(to: Requests.make(.get, target))
        }
        let expected = ["/x?a=1&%6b=REDACTED&&k=REDACTED", "/k=1", "/x?token=REDACTED"]
        #expect(logged.withLock { $0 } == expected)
    }

    @Test("TRACE and CONNECT are refused and repeat nothing")
    func methods() async {
        for method in [HTTPRequest.Method.trace, .connect] {
            let response = await answer(Requests.make(method, fields: [.authorization: "Bearer reflect-me"]))
            #expect(response.status == 405)
            #expect(response["Allow"]?.contains("GET") == true)
            #expect(!response.text.contains("reflect-me"))
        }
    }

    @Test("a refusal is problem+json and does not repeat markup of the request")
    func problem() async {
        let response = await answer(Requests.make(host: "<script>alert(1)</script>"))
        #expect(response.status == 421)
        #expect(response["Content-Type"] == "application/problem+json")
        #expect(response.text.contains(#""status":421"#))
        #expect(!response.text.contains("<script>"))
    }

    @Test("OPTIONS * is answered, but no other target that is not a path")
    func targets() async {
        #expect(await answer(Requests.make(.options, "*")).status == 204)
        #expect(await answer(Requests.make(.get, "users")).status == 400)
        #expect(await answer(Requests.make(.get, "@127.0.0.1:1/x")).status == 400)
    }

    @Test("/- belongs to the API, everything else to the proxy")
    func routes() async {
        let api = EchoResponder(), proxy = EchoResponder()
        let router = Router(api: api, proxy: proxy)
        for path in ["/-", "/-/", "/-/resources?x=1", "/-?x"] {
            _ = await router.respond(to: Requests.make(.get, path))
        }
        #expect((api.count, proxy.count) == (4, 0))
        for path in ["/", "/-x", "/users/-/", "/--/"] {
            _ = await router.respond(to: Requests.make(.get, path))
        }
        #expect((api.count, proxy.count) == (4, 4))
    }
}
