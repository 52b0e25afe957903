import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("The contents of requests")
struct RequestTests {
    @Test(
        "paths and queries must decode exactly; otherwise the answer is 400",
        arguments: [
            "/-/resources/people/%", "/-/resources/people/%4", "/-/resources/people/%zz",
            "/-/resources/people/%ff",
            "/-/resources/people/%00", "/-/resources/people/%c0%af", "/-/resources/people/\u{e9}",
            "/-/resources/people?fields=%", "/-/resources/people?fields=%00", "/-/resources/people?%ff=1",
            "/-/resources/people?limit=1#top",
        ])
    func undecodable(_ path: String) async throws {
        let answer = try await APIFixture().get(path)
        #expect(answer.status == 400)
        #expect(answer.json["code"]?.word == "invalid value")
    }

    @Test("a slash, a plus sign and a percent sign in a handle are data")
    func exactKeys() async throws {
        let fixture = try await APIFixture()
        let names = ["a/b", "a+b", "a b", "100%", "ü", "e\u{301}", "..", "%2F"]
        fixture.feed.change("people") { rows in
            for (place, name) in names.enumerated() { rows[place]["login"] = .text(name) }
        }
        for name in names {
            let answer = await fixture.get("/-/resources/people/" + PercentEncoding.segment(name))
            #expect(answer.status == 200, "\(name)")
            let login = answer.json["login"]?.word ?? ""
            #expect(login.utf8.elementsEqual(name.utf8), "\(name)")
        }
        // A plus sign stays one in a path; in a query it is a space.
        #expect(await fixture.get("/-/resources/people/a+b").json["login"]?.word == "a+b")
        #expect(await fixture.get("/-/resources/people?by=by_login&equal=a+b").rows.count == 1)
        let found = await fixture.get("/-/resources/people?by=by_login&equal=a%2Bb").rows
        #expect(found.compactMap { $0["login"]?.word } == ["a+b"])
    }

    @Test(
        "a handle of dots, which browsers remove from a path, can be encoded once more",
        arguments: [
            (".", "%252E"), ("..", "%252E%252e"), ("%2E", "%25252E"), ("..", ".."), (".", "%2E"),
            ("%252E%2E", "%2525252E%25252E"), ("...", "..."), ("%2F", "%252F"), ("%2E.", "%252E."),
        ])
    func dots(_ name: String, _ segment: String) async throws {
        let fixture = try await APIFixture()
        fixture.feed.change("people") { $0[2]["login"] = .text(name) }
        #expect(await fixture.get("/-/resources/people/" + segment).json["id"]?.word == "3")
    }

    @Test("requests above a limit are 400")
    func limits() async throws {
        let fixture = try await APIFixture()
        let long = String(repeating: "a", count: 20_000)
        #expect(await fixture.get("/-/resources/people/" + long).status == 400)
        #expect(await fixture.get("/-/resources/people/" + long.prefix(501)).status == 400)
        #expect(await fixture.get("/-/resources/people/" + long.prefix(500)).status == 404)
        #expect(await fixture.get("/-/resources/people/" + long.prefix(400)).status == 404)
        let many = (0..<65).map { "of=\($0)" }.joined(separator: "&")
        #expect(await fixture.get("/-/resources/people?" + many).status == 400)
        let prefix = await fixture.get("/-/resources/people?by=by_login&prefix=" + long.prefix(241))
        #expect(prefix.status == 400)
        #expect(prefix.parameter == "prefix")
        // 240 characters of four bytes do not fit a key.
        let wide = String(repeating: "%F0%9F%90%99", count: 240)
        #expect(await fixture.get("/-/resources/people?by=by_login&equal=" + wide).parameter == "equal")
    }

    @Test(
        "a parameter of another type is 400, and the answer names it",
        arguments: [
            ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=ten", "limit"), ("limit=+5", "limit"),
            ("limit=", "limit"), ("limit=1&limit=2", "limit"), ("policy=never", "policy"),
            ("order=down&by=key", "order"), ("after=x", "after"), ("after=%20aaaaaaaaaaaaaaaa", "after"),
            ("fields=", "fields"), ("fields=id,,login", "fields"), ("fields=nme", "fields"),
            ("what=1", "what"),
            ("by=key&list=all", "list"), ("by=key&policy=refresh", "policy"), ("list=all", "list"),
            ("of=octocat", "of"), ("by=key&from=x", "from"), ("by=key&equal=1&to=2", "to"),
            ("by=key&equal=1&equal=2", "equal"), ("by=key&prefix=1", "prefix"),
        ])
    func wrongParameter(_ query: String, _ parameter: String) async throws {
        let answer = try await APIFixture().get("/-/resources/people?" + query)
        #expect(answer.status == 400)
        #expect(answer.parameter == parameter)
        #expect(answer.detail.hasPrefix("\(parameter): "))
    }

    @Test("an unknown name is refused with a suggestion")
    func suggestions() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/resources/people?limt=3").detail.contains("did you mean \"limit\"?"))
        #expect(
            await fixture.get("/-/resources/people?fields=logn").detail.contains("did you mean \"login\"?"))
        #expect(
            await fixture.get("/-/resources/people?by=by_logn").detail.contains("did you mean \"by_login\"?"))
    }

    @Test("the message for a missing parameter says what it is")
    func missing() async throws {
        let answer = try await APIFixture().get("/-/search?q=x")
        #expect((answer.status, answer.parameter) == (400, "resource"))
        #expect(answer.detail == "resource: the parameter is missing; send the name of a resource")
    }

    @Test("a query without a suitable index is 400 and names the index to declare or use")
    func indexes() async throws {
        let fixture = try await APIFixture()
        let field = await fixture.get("/-/resources/people?followers=5")
        #expect(field.status == 400)
        #expect(field.parameter == "followers")
        #expect(field.detail.contains("declare \"people.index.by-followers = followers\""))
        let index = await fixture.get("/-/resources/people?by=by_followers")
        #expect(index.detail.contains("declare \"people.index.by-followers = followers\""))
        #expect(index.detail.contains("known: key, by_login"))
        let known = await fixture.get("/-/resources/people?by=login")
        #expect(known.detail.hasPrefix("by: people have no index \"login\"; known: key, by_login"))
        #expect(known.detail.hasSuffix("; use by_login"))
        #expect(await fixture.get("/-/resources/people?login=x").detail.contains("by=by_login&equal=VALUE"))
        #expect(await fixture.get("/-/resources/people?by=key&prefix=1").detail.contains("has no text"))
    }

    @Test(
        "the answer has the form that Accept prefers",
        arguments: [
            (nil, "application/json"), ("", "application/json"), ("*/*", "application/json"),
            ("application/*", "application/json"), ("application/jsonl", "application/jsonl"),
            ("application/x-ndjson", "application/x-ndjson"), ("text/html, */*;q=0.1", "application/json"),
            ("application/json;q=0.5, application/jsonl;q=0.9", "application/jsonl"),
            ("*/*;q=0.9, application/json;q=0.1", "application/jsonl"),
            ("APPLICATION/JSONL ; q=1.0", "application/jsonl"),
        ] as [(String?, String)])
    func negotiation(_ accept: String?, _ type: String) async throws {
        let fixture = try await APIFixture()
        let answer = await fixture.get("/-/resources/people?limit=2", accept.map { ["Accept": $0] } ?? [:])
        #expect(answer["Content-Type"] == type)
        #expect(answer["Vary"] == "Accept")
        #expect(answer.ids == [1, 2])
    }

    @Test(
        "an unsupported form is 406",
        arguments: ["text/html", "application/json;q=0", "application/jsonx"])
    func notAcceptable(_ accept: String) async throws {
        let answer = try await APIFixture().get("/-/resources/people", ["Accept": accept])
        #expect(answer.status == 406)
        #expect(answer.detail.contains("application/jsonl"))
    }
}
