import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Words over HTTP")
struct FindTests {
    private func fixture() async throws -> APIFixture {
        let fixture = try await APIFixture { source in
            source.resources[0].find = ["login", "name"]
        }
        try await fixture.fetch("people")
        return fixture
    }

    @Test("rows are found with their excerpts, also after an edit")
    func found() async throws {
        let fixture = try await fixture()
        let found = await fixture.get("/-/find?q=%22user%2012%22")
        #expect(found.status == 200, "\(found.text)")
        let row = found.json["rows"]?.elements.first
        #expect(row?["resource"]?.word == "people" && row?["key"]?.word == "12", "\(found.text)")
        #expect(found.text.contains(#""excerpt":["","user-12",""]"#), "\(found.text)")
        #expect(found.text.contains(#""matches":1,"all_ranked":true,"complete":true,"reason":null"#))
        let people = try fixture.gateway.resource("people")
        _ = try await fixture.gateway.edit(people, "user-13", "name", to: "Zebra")
        let edited = await fixture.get("/-/find?q=zeb*&of=people&limit=1")
        #expect(edited.json["rows"]?.elements.map { $0["title"]?.word } == ["Zebra"])
    }

    @Test("rows found in lists that were not fetched to their ends are not complete")
    func partial() async throws {
        let fixture = try await APIFixture { $0.resources[0].find = ["login"] }
        _ = await fixture.get("/-/resources/people?limit=20")
        let found = await fixture.get("/-/find?q=user-50")
        #expect(
            found.text.contains(
                #""matches":0,"all_ranked":true,"complete":false,"reason":"never synced to the end: people""#),
            "\(found.text)")
    }

    @Test(
        "wrong requests are refused",
        arguments: [
            ("/-/find", 400, "q"), ("/-/find?q=", 400, "q"), ("/-/find?q=%22", 400, nil),
            ("/-/find?q=-x", 400, nil), ("/-/find?q=x&limit=0", 400, "limit"),
            ("/-/find?q=x&of=nothing", 404, "of"), ("/-/find?q=x&of=projects", 400, nil),
            ("/-/find?q=x&in=people", 400, "in"),
        ] as [(String, Int, String?)])
    func refused(_ path: String, _ status: Int, _ parameter: String?) async throws {
        let answer = await (try fixture()).get(path)
        #expect(answer.status == status && answer.parameter == parameter, "\(answer.text)")
    }

    @Test("a program without an engine has neither words nor SQL")
    func without() async throws {
        let fixture = try await fixture()
        let api = APIResponder([fixture.gateway], clock: fixture.clock.layerClock)
        for path in ["/-/find?q=x", "/-/query?sql=SELECT%201"] {
            let answer = await TestAnswer(api.respond(to: APIFixture.request(.get, path)))
            #expect(answer.status == 404)
        }
        let description = await TestAnswer(
            api.respond(to: APIFixture.request(.get, "/-/openapi.json")))
        #expect(!description.text.contains(#""/find""#) && !description.text.contains(#""/query""#))
        await api.stop()
    }
}
