import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayServer

@Suite("Notes of rows and descriptions of resources")
struct NoteTests {
    @Test("ages and favourites are returned when named, in lists, walks, searches and single rows")
    func notes() async throws {
        let fixture = try await APIFixture(fetching: "people")
        #expect(await fixture.send(.put, "/-/resources/people/user-2/favourite").status == 204)
        for path in ["resources/people?limit=2", "resources/people?by=key&limit=2"] {
            let rows = await fixture.get("/-/\(path)&fields=id,is_favourite,fetched_at").rows
            #expect(
                rows.map { $0.members.map(\.name) }.allSatisfy { $0 == ["id", "fetched_at", "is_favourite"] })
            #expect(rows.map { $0["is_favourite"]?.truth } == [false, true])
            #expect(rows.first?["fetched_at"]?.word == fixture.clock.now().description)
        }
        let found = await fixture.get("/-/search?resource=people&q=user-2&fields=login,is_favourite").rows
        #expect(found.first { $0["login"]?.word == "user-2" }?["is_favourite"]?.truth == true)
        let shown = await fixture.get("/-/resources/people/user-2?fields=detail_fetched_at,is_favourite").json
        #expect(shown["detail_fetched_at"]?.word == fixture.clock.now().description)
        #expect(shown["is_favourite"]?.truth == true)
        #expect(await fixture.get("/-/resources/people/user-2").json["is_favourite"]?.truth == nil)
    }

    @Test("an age does not affect the tag of an edit")
    func edits() async throws {
        let fixture = try await APIFixture()
        let seen = await fixture.get("/-/resources/people/user-1?fields=id,fetched_at")
        fixture.clock.advance(by: .seconds(300))
        #expect(await fixture.get("/-/resources/people/user-1?policy=refresh").status == 200)
        let edited = await fixture.send(
            .patch, "/-/resources/people/user-1",
            ["If-Match": seen.tag, "Content-Type": "application/merge-patch+json"], #"{"name": "Mona"}"#)
        #expect(edited.status == 200)
    }

    @Test("resources describe their presentation and the parents of their lists")
    func resources() async throws {
        let fixture = try await APIFixture()
        let all = await fixture.get("/-/resources").json.elements
        let columns = all[0]["columns"]?.elements ?? []
        #expect(columns.map { $0["title"]?.word } == ["id", "login", "name", "followers"])
        #expect(columns.first?["fields"]?.elements.compactMap(\.word) == ["id"])
        #expect(all[0]["has_details"]?.truth == true)
        #expect(all[2]["has_details"]?.truth == false)
        #expect(all[0]["usual_policy"]?.word == "local-first")
        let parents = all.map { $0["lists"]?.elements.map { $0["parent"]?.word } }
        #expect(parents == [[nil], ["people", nil], ["projects"]])
    }

    @Test("a picture has its type, and comes from the source once and then from the storage")
    func pictures() async throws {
        let source = CountedPictures()
        let fixture = try await APIFixture { change in
            change.pictures = source
            change.resources = ScriptedFeed.declarations.map {
                var declaration = $0
                if declaration.name == "people" { declaration.picture = "login" }
                return declaration
            }
        }
        #expect(await fixture.get("/-/resources/people/user-1/picture?policy=local-only").status == 404)
        let long = String(repeating: "a", count: 500)
        #expect(await fixture.get("/-/resources/people/\(long)/picture").status == 404)
        for _ in 0..<2 {
            let answer = await fixture.get("/-/resources/people/user-1/picture")
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "image/png")
            #expect(answer.text == "picture of user-1")
        }
        #expect(source.count == 1)
        let answer = await fixture.get("/-/resources/people/user-1/picture")
        let again = ["If-None-Match": answer.tag]
        #expect(await fixture.get("/-/resources/people/user-1/picture", again).status == 304)
        #expect(await fixture.get("/-/resources").json.elements[0]["picture"]?.word == "login")
        #expect(await fixture.get("/-/resources/projects/octocat%2Fp-1/picture").status == 404)
    }
}

private final class CountedPictures: PictureSource {
    private let requests = Mutex(0)

    var count: Int { requests.withLock(\.self) }

    func picture(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Picture> {
        requests.withLock { $0 += 1 }
        let picture = Picture(bytes: Array("picture of \(url)".utf8), mediaType: "image/png")
        return .changed(picture, Validator())
    }
}

extension JSONValue {
    /// The value of a Boolean.
    fileprivate var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }
}
