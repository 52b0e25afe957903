import HTTPTypes
import PatchbayCore
import PatchbayServer
import Testing

@Suite("Web pages of other origins can neither send requests nor read answers")
struct OriginTests {
    private let app = "https://app.example.org"

    private func answer(
        _ method: HTTPRequest.Method, _ fields: HTTPFields, lists: Bool = false, path: String = "/users"
    ) async -> ServerResponse {
        var options = ServerOptions()
        if lists { options.origins = [app] }
        return await GuardedResponder(EchoResponder(), options).respond(
            to: Requests.make(method, path, fields: fields))
    }

    @Test("1: the site reported by the browser decides", arguments: ["same-origin", "none"])
    func ownSite(_ site: String) async {
        #expect(await answer(.post, [.secFetchSite: site]).status == 200)
        // Even with an Origin of another host, as behind a reverse proxy.
        #expect(await answer(.post, [.secFetchSite: site, .origin: "https://other.example"]).status == 200)
    }

    @Test("1: other sites are refused, reading ones too", arguments: ["cross-site", "same-site", "anything"])
    func foreignSite(_ site: String) async {
        for method in [HTTPRequest.Method.get, .head, .options, .post, .put, .patch, .delete] {
            for path in ["/users", "/-/search?resource=users&q=tom"] {
                #expect(await answer(method, [.secFetchSite: site], path: path).status == 403)
            }
        }
    }

    @Test("5: a link of another page may open the page of the server, and nothing else")
    func navigation() async {
        let opening: HTTPFields = [
            .secFetchSite: "cross-site", .secFetchMode: "navigate", .secFetchDest: "document",
        ]
        #expect(await answer(.get, opening, path: "/-/").status == 200)
        #expect(await answer(.post, opening, path: "/-/").status == 403)
        for path in ["/-/resources", "/users", "/-/page/main.js", "/-/?x=1"] {
            #expect(await answer(.get, opening, path: path).status == 403, "\(path)")
        }
        for (name, value) in [(HTTPField.Name.secFetchDest, "iframe"), (.secFetchMode, "no-cors")] {
            var embedding = opening
            embedding[name] = value
            #expect(await answer(.get, embedding, path: "/-/").status == 403, "\(value)")
        }
    }

    @Test("2: a program that is not a browser sends neither field and is allowed")
    func program() async {
        #expect(await answer(.post, [:]).status == 200)
        #expect(await answer(.post, [.secFetchSite: "", .origin: ""]).status == 200)
    }

    @Test("3: an old browser's Origin must have the host of the request")
    func oldBrowser() async {
        #expect(await answer(.post, [.origin: "http://127.0.0.1:8080"]).status == 200)
        for origin in [
            "null", "http://evil.example", "http://127.0.0.1:8081", "http://127.0.0.1", "127.0.0.1:8080",
            "http://127.0.0.1:8080.evil.example",
        ] {
            #expect(await answer(.post, [.origin: origin]).status == 403, "\(origin)")
        }
    }

    @Test("4: a listed origin may send requests")
    func listed() async {
        let fields: HTTPFields = [.origin: app, .secFetchSite: "cross-site"]
        for method in [HTTPRequest.Method.get, .post] {
            #expect(await answer(method, fields, lists: true).status == 200)
            #expect(await answer(method, fields).status == 403)
        }
        let other: HTTPFields = [
            .origin: "https://app.example.org.evil.example", .secFetchSite: "cross-site",
        ]
        #expect(await answer(.post, other, lists: true).status == 403)
    }

    @Test("only listed pages may read answers")
    func reading() async throws {
        let refused = await answer(.get, [.origin: "https://evil.example"], lists: true)
        #expect(refused.headerFields.allSatisfy { !$0.name.canonicalName.hasPrefix("access-control") })
        #expect(refused["Vary"]?.contains("Origin") == true)
        #expect(await answer(.get, [.origin: app])["Vary"] == nil)
        let allowed = await answer(.get, [.origin: app], lists: true)
        #expect(allowed["Access-Control-Allow-Origin"] == app)
        #expect(allowed["Vary"]?.contains("Origin") == true)
        #expect(allowed["Access-Control-Allow-Credentials"] == nil)
    }

    @Test("a preflight is granted to listed pages only, and never for credentials")
    func preflight() async {
        func fields(_ origin: String) -> HTTPFields {
            [
                .origin: origin, .accessControlRequestMethod: "PATCH",
                .accessControlRequestHeaders: "content-type, if-match",
            ]
        }
        let allowed = await answer(.options, fields(app), lists: true)
        #expect(allowed.status == 204)
        #expect(allowed["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
        #expect(allowed["Access-Control-Allow-Headers"] == "content-type, if-match")
        let refused = await answer(.options, fields("https://evil.example"), lists: true)
        #expect(refused["Access-Control-Allow-Origin"] == nil)
        #expect(refused["Access-Control-Allow-Methods"] == nil)
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
