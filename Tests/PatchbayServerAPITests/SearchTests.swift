import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Searches over HTTP")
struct SearchTests {
    @Test("a search queries the source once, then returns its results page by page")
    func search() async throws {
        let fixture = try await APIFixture()
        let first = await fixture.get("/-/search?resource=people&q=user-1&limit=5")
        #expect(first.ids == [1, 10, 11, 12, 13])
        #expect(first.rows[0]["found_by"]?.word == "source")
        #expect(first["Patchbay-Answer"]?.contains("found-by=source, total=11") == true)
        let second = await fixture.get(first.next ?? "")
        #expect(second.ids == [14, 15, 16, 17, 18])
        #expect(await fixture.get(second.next ?? "").ids == [19])
        #expect(
            await fixture.get("/-/search?resource=people&q=user-1&limit=5")["Cache-Status"] == "patchbay; hit"
        )
    }

    @Test("results that the source cut off are incomplete")
    func cut() async throws {
        let fixture = try await APIFixture()
        let cut = await fixture.get("/-/search?resource=people&q=user&limit=100")
        #expect(cut.ids.count == 30)
        #expect(cut["Patchbay-Answer"]?.contains("complete=?0") == true)
    }

    @Test("a token of a search belongs to its page size")
    func tokens() async throws {
        let fixture = try await APIFixture()
        let next = await fixture.get("/-/search?resource=people&q=user-1&limit=5").next ?? ""
        let token = next.split(separator: "after=").last ?? ""
        let other = await fixture.get("/-/search?resource=people&q=user-1&limit=6&after=\(token)")
        #expect(other.status == 404)
        #expect(other.parameter == "after")
    }

    @Test("stored rows with the prefix are found without the source, and marked")
    func local() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let local = await fixture.get("/-/search?resource=people&q=USER-4&policy=local-only")
        #expect(local.ids.first == 4)
        #expect(local.rows.allSatisfy { $0["found_by"]?.word == "local" })
        let reason = "the source was never asked for this text"
        #expect(
            local["Patchbay-Answer"]
                == "state=local-only, complete=?0, reason=\"\(reason)\", more=?0, found-by=local")
        let none = await fixture.get("/-/search?resource=people&q=zebra&policy=local-only")
        #expect(none.rows.isEmpty && none["Patchbay-Answer"] == local["Patchbay-Answer"])
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        let offline = await fixture.get("/-/search?resource=people&q=user-4")
        #expect(offline.status == 200)
        #expect(offline["Cache-Status"] == "patchbay; hit; detail=offline")
        #expect(offline.rows.count == 11)
    }

    @Test("a search that found nothing is not sent again until it is forgotten")
    func denied() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/search?resource=people&q=nobody").rows.isEmpty)
        let again = await fixture.get("/-/search?resource=people&q=Nobody")
        #expect(again["Patchbay-Answer"]?.contains("found-by=denied") == true)
        #expect(fixture.feed.requests.count == 1)
        let denied = await fixture.get("/-/search/denied").json.elements
        #expect(denied.map { $0["q"]?.word } == ["nobody"])
        #expect(denied[0]["holds_for_seconds"]?.word == "3600")
        #expect(await fixture.send(.delete, "/-/search/denied?q=nobody").status == 204)
        #expect(await fixture.send(.delete, "/-/search/denied?q=nobody").status == 404)
        _ = await fixture.get("/-/search?resource=people&q=nobody")
        #expect(fixture.feed.requests.count == 2)
    }

    @Test("recent searches are listed, the newest first, and can be removed individually or all at once")
    func recent() async throws {
        let fixture = try await APIFixture()
        for text in ["one", "two", "three"] { _ = await fixture.get("/-/search?resource=people&q=\(text)") }
        func recent() async -> [String?] {
            await fixture.get("/-/search/recent").json.elements.map { $0["q"]?.word }
        }
        #expect(await recent() == ["three", "two", "one"])
        #expect(await fixture.get("/-/search/recent").json.elements[0]["resource"]?.word == "people")
        #expect(await fixture.send(.delete, "/-/search/recent?q=TWO").status == 204)
        #expect(await recent() == ["three", "one"])
        #expect(await fixture.send(.delete, "/-/search/recent").status == 204)
        #expect(await recent() == [])
    }

    @Test("a search without a text or a resource is 400, and of an unknown resource 404")
    func parameters() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/search?resource=people").parameter == "q")
        #expect(await fixture.get("/-/search?q=a").parameter == "resource")
        #expect(await fixture.get("/-/search?resource=people&q=%20").status == 400)
        #expect(
            await fixture.get("/-/search?resource=people&q=" + String(repeating: "a", count: 257)).status
                == 400)
        #expect(await fixture.get("/-/search?resource=people&q=a&fields=nme").parameter == "fields")
        let unknown = await fixture.get("/-/search?resource=cars&q=a")
        #expect(unknown.status == 404)
        #expect(unknown.parameter == "resource")
    }
}
