import HTTPTypes
import PatchbayCore
import Testing

@testable import PatchbayServer

@Suite("The owner's credentials are used only for trusted clients")
struct TrustTests {
    private static let token = "correct-horse-battery-staple"
    private static let mine: HTTPFields = [.authorization: "Bearer \(token)"]
    private let api = EchoResponder(), proxy = EchoResponder()

    /// The server of a source with a token, and the token that the server has made, if any.
    private func door(made token: String? = nil, set: String? = nil, holdsCredentials: Bool = true)
        -> GuardedResponder
    {
        var options = ServerOptions()
        options.token = token ?? set
        options.isProxyOpen = token != nil
        return GuardedResponder(
            Router(api: api, proxy: proxy), options, holdsCredentials: holdsCredentials)
    }

    @Test(
        "everything below /-/ except the page and /-/live is closed to strangers if a source has a token",
        arguments: [nil, TrustTests.token])
    func closed(_ made: String?) async {
        let door = door(made: made)
        let paths = [
            "/-", "/-/resources", "/-/resources/users?policy=refresh", "/-/events", "/-/metrics", "/-/ready",
            "/-/openapi.json", "/-?x", "/-/live/x", "/-/page",
        ]
        for path in paths {
            for method in [HTTPRequest.Method.get, .head, .post, .patch, .options] {
                let response = await door.respond(to: Requests.make(method, path))
                #expect(response.status == 401, "\(method) \(path)")
                #expect(response["WWW-Authenticate"] != nil)
            }
            #expect(await door.respond(to: Requests.make(.get, path, over: Requests.unix)).status == 200)
        }
        #expect(api.count == paths.count)
        for path in ["/-/", "/-/live", "/-/page/main.js", "/users"] {
            #expect(await door.respond(to: Requests.make(.get, path)).status == 200)
        }
        #expect(proxy.last?.isTrusted == false, "the source's API is open without its credentials")
    }

    @Test("a token that the server has made opens the API and the use of the source's credentials")
    func made() async {
        let door = door(made: Self.token)
        #expect(await door.respond(to: Requests.make(.get, "/-/resources", fields: Self.mine)).status == 200)
        #expect(await door.respond(to: Requests.make(.get, "/users", fields: Self.mine)).status == 200)
        #expect(proxy.last?.isTrusted == true)
        #expect(await door.respond(to: Requests.make(.get, "/users")).status == 200)
        #expect(proxy.last?.isTrusted == false)
    }

    @Test("without a token of a source or of the server, everything is open")
    func open() async {
        let door = door(holdsCredentials: false)
        for path in ["/-/resources", "/users"] {
            #expect(await door.respond(to: Requests.make(.get, path)).status == 200)
        }
    }

    @Test("the server's token is removed from both fields on every connection")
    func removed() async {
        for connection in [Requests.tcp, Requests.unix] {
            for (given, kept) in [
                (["Bearer \(Self.token)"], []), (["Bearer theirs"], ["Bearer theirs"]),
                (["Bearer theirs", "Bearer \(Self.token)"], ["Bearer theirs"]),
            ] as [([String], [String])] {
                var fields: HTTPFields = [.init("Patchbay-Token")!: Self.token]
                fields[values: .authorization] = given
                _ = await door(set: Self.token).respond(to: Requests.make(fields: fields, over: connection))
                let seen = proxy.last?.head.headerFields
                #expect(seen?[values: .authorization] == kept)
                #expect(seen?.contains(.init("Patchbay-Token")!) == false)
                #expect(proxy.last?.isTrusted == true)
            }
        }
    }

    @Test("a body is read only after the head was accepted")
    func decidedAtTheHead() async throws {
        let door = door(), fields: HTTPFields = [.contentLength: "1000"]
        func reply(
            _ path: String, _ more: HTTPFields = [:], _ connection: ServerRequest.Connection = Requests.tcp
        )
            -> ServerReply
        {
            var all = fields
            for field in more { all[field.name] = field.value }
            return door.reply(to: Requests.make(.post, path, fields: all, over: connection))
        }
        #expect(reply("/-/resources").ready?.status == 401)
        #expect(reply("/x", [.origin: "https://evil.example"]).ready?.status == 403)
        #expect(
            door.reply(to: Requests.make(.post, host: "evil.example", fields: fields)).ready?.status == 421)
        #expect(reply("/-/x", [.contentLength: "70000"], Requests.unix).ready?.status == 413)
        guard case .reading(nil, _) = reply("/x"),
            case .reading(65_536, let next) = reply("/-/x", [:], Requests.unix)
        else {
            Issue.record("the body of an accepted request is read")
            return
        }
        #expect(await next([1, 2, 3]).response().status == 200)
        #expect(api.last?.body == [1, 2, 3])
    }

    @Test("a refusal by the source explains that its credentials were not used")
    func explained() async throws {
        let refusing = EchoResponder([:], status: .unauthorized)
        let door = GuardedResponder(
            Router(api: api, proxy: refusing), ServerOptions(), holdsCredentials: true)
        let response = await door.respond(to: Requests.make())
        #expect(response.status == 401 && response["Content-Type"] == "application/problem+json")
        #expect(response.text.contains("source.token") && response.text.contains("Patchbay-Token"))
        let theirs = Requests.make(fields: [.authorization: "Bearer theirs"])
        #expect(await door.respond(to: theirs).text == "ok")
        #expect(await door.respond(to: Requests.make(over: Requests.unix)).text == "ok")
    }

    @Test("work for a client over TCP counts for the client, work for the owner for nobody")
    func counted() async throws {
        let watching = WatchingResponder()
        var options = ServerOptions()
        options.token = Self.token
        options.isProxyOpen = true
        let door = GuardedResponder(watching, options)
        for (fields, connection, client) in [
            ([:], Requests.tcp, .address("127.0.0.1")), (Self.mine, Requests.tcp, .tokenBearer),
            ([:], Requests.unix, nil),
        ] as [(HTTPFields, ServerRequest.Connection, ServingClient?)] {
            let response = await door.respond(to: Requests.make(fields: fields, over: connection))
            guard case .stream(let produce) = response.body else {
                Issue.record("no stream")
                return
            }
            try await produce(.init { _ in })
            #expect(watching.lastThree == [client, client, client])
        }
    }
}
