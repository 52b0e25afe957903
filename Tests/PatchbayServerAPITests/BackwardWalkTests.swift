import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Walks from any place and backwards")
struct BackwardWalkTests {
    private func fixture() async throws -> APIFixture {
        let fixture = try await APIFixture(fetching: "people")
        return fixture
    }

    @Test(
        "the link \"last\" and the links \"prev\" lead through every row once", arguments: [1, 7, 50, 1_000])
    func backwards(_ limit: Int) async throws {
        let fixture = try await fixture()
        for path in ["by=key", "by=by_login", "by=key&order=descending", "by=by_login&prefix=user-4"] {
            let path = "/-/resources/people?\(path)&limit=\(limit)"
            let forward = await fixture.walk(path).ids
            var ids: [Int64] = [], pages = 0
            var link = await fixture.get(path).link("last")
            while let address = link, pages < 100 {
                let answer = await fixture.get(address)
                ids = answer.ids + ids
                pages += 1
                link = answer.link("prev")
            }
            #expect(ids == forward, "\(path)")
            #expect(pages == (forward.count + limit - 1) / limit, "\(path)")
        }
    }

    @Test("the previous page is the one that led here, and its next page is this one")
    func thereAndBack() async throws {
        let fixture = try await fixture()
        let first = await fixture.get("/-/resources/people?by=key&limit=10")
        #expect(first.link("prev") == nil)
        let second = await fixture.get(first.next ?? "")
        #expect(second.ids == Array(11...20))
        let before = await fixture.get(second.link("prev") ?? "")
        #expect(before.ids == first.ids)
        #expect(before.link("prev") == nil)
        #expect(await fixture.get(before.next ?? "").ids == second.ids)
        #expect(await fixture.get(first.link("last") ?? "").next == nil)
    }

    @Test("a walk can start at any value of its index, and a link leads to the rows before it")
    func at() async throws {
        let fixture = try await fixture()
        func page(_ query: String) async -> TestAnswer {
            await fixture.get("/-/resources/people?limit=3&\(query)")
        }
        let middle = await page("by=key&at=25")
        #expect(middle.ids == [25, 26, 27])
        #expect(await fixture.get(middle.next ?? "").ids == [28, 29, 30])
        #expect(await fixture.get(middle.link("prev") ?? "").ids == [22, 23, 24])
        #expect(await page("at=25&order=descending").ids == [25, 24, 23])
        #expect(await page("by=by_login&at=USER-39").ids == [39, 4, 40])
        #expect(await page("by=by_login&prefix=user-4&at=a").ids == [4, 40, 41])
        #expect(await page("by=key&from=10&to=12&at=12").ids == [12])
        let start = await page("at=0")
        #expect(start.ids == [1, 2, 3])
        #expect(start.link("prev") == nil)
        let beyond = await page("at=99")
        #expect(beyond.ids == [])
        #expect(await fixture.get(beyond.link("prev") ?? "").ids == [48, 49, 50])
        #expect(await page("at=x").parameter == "at")
    }

    @Test("JSON Lines that end before a token need a limit, because all rows are read forwards")
    func lines() async throws {
        let fixture = try await fixture(), accept = ["Accept": "application/jsonl"]
        let last = await fixture.get("/-/resources/people?by=key&limit=5").link("last") ?? ""
        #expect(await fixture.get(last, accept).ids == Array(46...50))
        let all = last.replacing("limit=5&", with: "")
        #expect(!all.contains("limit"))
        let answer = await fixture.get(all, accept)
        #expect((answer.status, answer.parameter) == (400, "before"))
        #expect(answer.detail == "before: all rows are read forwards; add a limit, or leave this out")
    }

    @Test("rows that are no longer listed are also left out backwards")
    func gone() async throws {
        let fixture = try await APIFixture(people: 1...10, fetching: "people")
        try await fixture.drop(4)
        let end = await fixture.get("/-/resources/people?by=key&at=7&limit=3")
        let before = await fixture.get(end.link("prev") ?? "")
        #expect(before.ids == [3, 5, 6])
        #expect(await fixture.get(before.link("prev") ?? "").ids == [1, 2])
    }

    @Test("a token is valid only for its direction, and only for walks")
    func tokens() async throws {
        let fixture = try await fixture()
        let first = await fixture.get("/-/resources/people?by=key&limit=5")
        let after = first.next?.split(separator: "after=").last ?? ""
        let before = first.link("last")?.split(separator: "before=").last ?? ""
        for (query, status, parameter) in [
            ("by=key&before=\(after)", 404, "before"), ("by=key&after=\(before)", 404, "after"),
            ("by=by_login&before=\(before)", 404, "before"), ("before=\(before)", 404, "before"),
            ("by=key&after=\(after)&at=7", 400, "at"),
            ("by=key&after=\(after)&before=\(before)", 400, "before"),
        ] {
            let answer = await fixture.get("/-/resources/people?\(query)")
            #expect(answer.status == status, "\(query)")
            #expect(answer.parameter == parameter, "\(query)")
        }
    }
}
