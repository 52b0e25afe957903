import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("The pictures of rows")
struct PictureTests {
    private static let url = "https://pictures.example.org/1"
    private let picture = Picture(bytes: [0x89, 0x50, 0x4E, 0x47, 0, 0xFF], mediaType: "image/png")
    private let fixture: ItemsFixture

    init() async throws {
        var people = Person.all(1...3)
        people[0].picture = Self.url
        fixture = try await ItemsFixture(people)
        fixture.feed.changePictures { [picture] in $0[Self.url] = picture }
    }

    private func show(_ handle: String, _ policy: Policy = .localFirst) async -> [Answer<Picture>] {
        await fixture.gateway.picture(fixture.people, handle, policy: policy).all
    }

    @Test("a picture is fetched once, stored, and then only validated")
    func validated() async throws {
        #expect(await show("person-1").map(\.outcome.word) == ["fresh"])
        let again = await show("PERSON-1")
        #expect(again.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(again.map(\.value) == [picture, picture])
        #expect(
            fixture.feed.requests == [
                "person person-1", "picture \(Self.url)", "picture \(Self.url) if changed since yesterday",
            ])
        #expect(await show("person-1", .localOnly).last?.value == picture)
        #expect(fixture.feed.requests.count == 3)
    }

    @Test("a picture at another address is requested without a condition")
    func moved() async throws {
        _ = await show("person-1")
        fixture.feed.change { $0[0].picture = Self.url + "?v=2" }
        fixture.feed.changePictures { $0[Self.url + "?v=2"] = Picture(bytes: [1], mediaType: "image/gif") }
        _ = await fixture.show("person-1")
        #expect(await show("person-1").last?.value?.mediaType == "image/gif")
        #expect(fixture.feed.requests.last == "picture \(Self.url)?v=2")
    }

    @Test("an answer that is not a picture or is too large is not stored; a picture of exactly the limit is")
    func refused() async throws {
        let max = StoredPicture.bytesMax
        let cases = [
            (Picture(bytes: [1], mediaType: "text/html"), false),
            (Picture(bytes: [], mediaType: "image/png"), false),
            (Picture(bytes: Array(repeating: 7, count: max + 1), mediaType: "image/png"), false),
            (Picture(bytes: Array(repeating: 7, count: max), mediaType: "image/png"), true),
        ]
        for (picture, isKept) in cases {
            fixture.feed.changePictures { $0[Self.url] = picture }
            let answer = try #require(await show("person-1").last)
            #expect(answer.outcome.word == (isKept ? "fresh" : "failed: invalid response"))
            #expect((answer.value != nil) == isKept)
        }
    }

    @Test("a row without a picture is reported; a failure serves the stored picture")
    func failures() async throws {
        #expect(await show("person-2").last?.outcome.word == "failed: not found")
        _ = await show("person-1")
        fixture.feed.fail(with: PatchbayError(.offline, "no network"))
        let answer = try #require(await show("person-1").last)
        #expect(answer.outcome.word == "failed: offline" && answer.value == picture)
        let notes = try fixture.gateway.resource("notes")
        let other = await fixture.gateway.picture(notes, "x").ending
        #expect(other.outcome.word == "failed: unsupported")
    }

    @Test("a clear removes the pictures, and one fetched meanwhile is not saved")
    func cleared() async throws {
        _ = await show("person-1")
        let (gateway, people) = (fixture.gateway, fixture.people)
        try await gateway.clear(people)
        #expect(try await fixture.count(StoredPicture.collection) == 0)
        _ = await fixture.show("person-1")
        fixture.feed.interrupt { try await gateway.clear(people) }
        #expect(await show("person-1").last?.outcome.word == "failed: conflict")
        #expect(try await fixture.count(StoredPicture.collection) == 0)
    }
}
