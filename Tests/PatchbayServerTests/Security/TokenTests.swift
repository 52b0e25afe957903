import HTTPTypes
import PatchbayCore
import PatchbayServer
import Testing

@Suite("The server's token")
struct TokenTests {
    private let token = "correct-horse-battery-staple"
    private let inner = EchoResponder()

    private func answer(
        _ fields: HTTPFields, over connection: ServerRequest.Connection = Requests.tcp,
        _ method: HTTPRequest.Method = .get
    ) async -> ServerResponse {
        var options = ServerOptions()
        options.token = token
        return await GuardedResponder(inner, options).respond(
            to: Requests.make(method, fields: fields, over: connection))
    }

    @Test("is accepted as Bearer, as token, as the password of Basic and in its own field")
    func ways() async {
        // "me:correct-horse-battery-staple"
        let basic = "Basic bWU6Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZQ=="
        for value in ["Bearer \(token)", "bearer \(token)", "token \(token)", basic] {
            #expect(await answer([.authorization: value]).status == 200, "\(value)")
            #expect(
                inner.last?.head.headerFields[.authorization] == nil, "the source's server does not see it")
        }
        #expect(await answer([.patchbayToken: token, .authorization: "Bearer theirs"]).status == 200)
        #expect(inner.last?.head.headerFields[.patchbayToken] == nil)
        #expect(inner.last?.head.headerFields[.authorization] == "Bearer theirs")
        #expect(inner.last?.isTrusted == true)
    }

    @Test(
        "nothing else is accepted",
        arguments: [
            "Bearer wrong", "Bearer ", "Bearer", "", "Bearer correct-horse-battery-stapl",
            "Bearer correct-horse-battery-staplee", "Bearer CORRECT-HORSE-BATTERY-STAPLE", "Basic !!!",
            "Basic Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LXN0YXBsZQ==", "Digest correct-horse-battery-staple",
        ])
    func refused(_ value: String) async {
        let response = await answer([.authorization: value])
        #expect(response.status == 401)
        #expect(response["WWW-Authenticate"]?.contains("Bearer") == true)
        #expect(!response.text.contains(token))
        #expect(inner.count == 0)
    }

    @Test("a wrong token in its own field is refused even with a correct Authorization")
    func twoTokens() async {
        #expect(await answer([.patchbayToken: "wrong", .authorization: "Bearer \(token)"]).status == 401)
    }

    @Test("every method needs it, except on a Unix domain socket, which only its owner can open")
    func everyMethod() async {
        for method in [HTTPRequest.Method.get, .head, .post, .delete, .options] {
            #expect(await answer([:], method).status == 401)
        }
        #expect(await answer([:], over: Requests.unix).status == 200)
        #expect(inner.last?.isTrusted == true)
    }

    @Test("only the files of the page and /-/live are served without it, because they contain no data")
    func page() async {
        var options = ServerOptions()
        options.token = token
        let guarded = GuardedResponder(inner, options)
        for path in ["/-/", "/-/live", "/-/page/main.js"] {
            for method in [HTTPRequest.Method.get, .head] {
                #expect(await guarded.respond(to: Requests.make(method, path)).status == 200)
                #expect(inner.last?.isTrusted == false)
            }
            #expect(await guarded.respond(to: Requests.make(.post, path)).status == 401)
        }
        for path in ["/-", "/-/resources", "/-/pages", "/-/?x=1", "/", "/-/page", "/x/-/page/main.js"] {
            #expect(await guarded.respond(to: Requests.make(.get, path)).status == 401, "\(path)")
        }
    }

    @Test("without a token every client over TCP is served and none is trusted")
    func none() async {
        let response = await GuardedResponder(inner, ServerOptions()).respond(to: Requests.make())
        #expect(response.status == 200)
        #expect(inner.last?.isTrusted == false)
    }

    @Test("a short token is refused when the options are read")
    func short() throws {
        #expect(throws: PatchbayError.self) { try ServerOptions(Settings("serve", ["token": "short"])) }
        #expect(throws: PatchbayError.self) {
            try ServerOptions(Settings("serve", ["token": "sixteen letters here"]))
        }
        #expect(try ServerOptions(Settings("serve", ["token": token])).token == token)
    }
}

extension HTTPField.Name {
    fileprivate static let patchbayToken = HTTPField.Name("Patchbay-Token")!
}
