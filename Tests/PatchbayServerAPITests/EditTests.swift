import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Edits and favourites")
struct EditTests {
    private static let patch = ["Content-Type": "application/merge-patch+json"]
    private static let path = "/-/resources/people/user-1"

    /// A fixture with one person, and the person's tag.
    private func seen() async throws -> (APIFixture, tag: String) {
        let fixture = try await APIFixture()
        return (fixture, await fixture.get(Self.path).tag)
    }

    private func patch(
        _ fixture: APIFixture, _ body: String, ifMatch tag: String?,
        type: String = "application/merge-patch+json"
    ) async -> TestAnswer {
        var fields = ["Content-Type": type]
        fields["If-Match"] = tag
        return await fixture.send(.patch, Self.path, fields, body)
    }

    @Test("an edit is kept beside the source's value, null reverts it, and each answer has a new tag")
    func edit() async throws {
        let (fixture, tag) = try await seen()
        let edited = await patch(fixture, #"{"name": "Zoë"}"#, ifMatch: tag)
        #expect(edited.status == 200)
        #expect(edited.json["name_override"]?.word == "Zoë")
        #expect(edited.json["name"]?.word == "User 1")
        let again = await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: edited.tag)
        #expect(again.json["name_override"]?.word == "Zoe")
        let reverted = await patch(fixture, #"{"name": null}"#, ifMatch: again.tag, type: "application/json")
        #expect(reverted.status == 200)
        #expect(reverted.json["name_override"]?.word == nil)
        #expect(await fixture.get(Self.path).json["name_override"]?.word == nil)
    }

    @Test(
        "escaped characters are kept as they were sent",
        arguments: [
            (#"a\ud83d\ude00b"#, "a😀b"), (#"\ufffd"#, "\u{FFFD}"), (#"\\ud800"#, #"\ud800"#),
            ("\u{FFFD}", "\u{FFFD}"),
        ])
    func escapes(_ sent: String, _ kept: String) async throws {
        let (fixture, _) = try await seen()
        let edited = await patch(fixture, "{\"name\": \"\(sent)\"}", ifMatch: "*")
        #expect(edited.json["name_override"]?.word == kept)
    }

    @Test("an edit of a row that has changed since it was read is 412 and changes nothing")
    func lostUpdate() async throws {
        let (fixture, tag) = try await seen()
        try await fixture.edit("user-1", name: "Somebody else")
        let answer = await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: tag)
        #expect(answer.status == 412)
        #expect(answer.json["code"]?.word == "conflict")
        #expect(await fixture.get(Self.path).json["name_override"]?.word == "Somebody else")
    }

    @Test("a commit that does not change the row does not invalidate its tag")
    func unrelatedCommit() async throws {
        let (fixture, tag) = try await seen()
        try await fixture.fetch("people")
        try await fixture.edit("user-2", name: "Somebody else")
        #expect(await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: tag).status == 200)
    }

    @Test("an edit needs the tag of the row, or * for any version")
    func precondition() async throws {
        let (fixture, tag) = try await seen()
        let without = await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: nil)
        #expect(without.status == 428)
        #expect(without.parameter == "If-Match")
        let weak = await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: "W/" + tag)
        #expect(weak.status == 412)
        #expect(weak.detail.hasSuffix("send it without W/"))
        #expect(await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: "\"made-up\"").status == 412)
        #expect(await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: "*").status == 200)
    }

    @Test(
        "an invalid body is refused",
        arguments: [
            ("", 400, nil), ("[]", 400, nil), ("{}", 400, nil), ("{\"name\":", 400, nil),
            ("{\"name\":1}", 400, "name"), (#"{"name":"a","name":"b"}"#, 400, "name"),
            (#"{"name":"a","n\u0061me":null}"#, 400, "name"),
            ("{\"login\":\"x\"}", 400, nil),
            ("{\"what\":\"x\"}", 400, nil), ("{\"name\":\"a\\u0000b\"}", 400, nil),
            (#"{"name":"a\ud83d"}"#, 400, nil), (#"{"name":"\udc00\ud83d\ude00"}"#, 400, nil),
            ("{\"name\":\"\(String(repeating: "a", count: 1_025))\"}", 400, "name"),
        ] as [(String, Int, String?)])
    func body(_ body: String, _ status: Int, _ parameter: String?) async throws {
        let (fixture, _) = try await seen()
        let answer = await patch(fixture, body, ifMatch: "*")
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.parameter == parameter)
        #expect(await fixture.get(Self.path).json["name_override"]?.word == nil)
    }

    @Test("an empty text shows the field as null", arguments: [#"{"name":""}"#, #"{"name":" "}"#])
    func emptied(_ body: String) async throws {
        let (fixture, _) = try await seen()
        #expect(await patch(fixture, body, ifMatch: "*").status == 200)
        let row = await fixture.get(Self.path).json
        #expect(row["name_override"]?.word == "" && row["name"]?.word != nil)
    }

    @Test("a body of another type is 415 and lists the accepted types")
    func mediaType() async throws {
        let (fixture, tag) = try await seen()
        for type in ["text/plain", "application/json-patch+json", ""] {
            let answer = await patch(fixture, #"{"name": "Zoe"}"#, ifMatch: tag, type: type)
            #expect(answer.status == 415)
            #expect(answer["Accept-Patch"] == "application/merge-patch+json, application/json")
        }
        var fields = ["If-Match": tag, "Content-Type": "Application/JSON; charset=utf-8"]
        fields["Content-Encoding"] = "gzip"
        let encoded = await fixture.send(.patch, Self.path, fields, #"{"name": "Zoe"}"#)
        #expect((encoded.status, encoded.parameter) == (415, "Content-Encoding"))
        fields["Content-Encoding"] = "identity"
        #expect(await fixture.send(.patch, Self.path, fields, #"{"name": "Zoe"}"#).status == 200)
    }

    @Test("a row that is not stored cannot be edited with any tag")
    func notStored() async throws {
        let answer = try await APIFixture().send(
            .patch, "/-/resources/people/nobody", Self.patch, #"{"name": "Zoe"}"#)
        #expect(answer.status == 404)
    }

    @Test("an override is reverted at its own address; If-Match is checked if present")
    func revert() async throws {
        let (fixture, tag) = try await seen()
        try await fixture.edit("user-1", name: "Zoe")
        let address = Self.path + "/overrides/name"
        #expect(await fixture.send(.delete, address, ["If-Match": tag]).status == 412)
        let answer = await fixture.send(.delete, address)
        #expect(answer.status == 200)
        #expect(answer.json["name_override"]?.word == nil)
        #expect(await fixture.send(.delete, address).status == 200)
        let other = await fixture.send(.delete, Self.path + "/overrides/nam")
        #expect(other.status == 404)
        #expect(
            other.detail == "people have no editable field \"nam\" (did you mean \"name\"?); known: name")
        #expect(await fixture.send(.delete, Self.path + "/overrides/login").status == 404)
    }

    @Test("favourites can be added, removed, listed by title, searched and paged")
    func favourites() async throws {
        let fixture = try await APIFixture()
        for id in [3, 1, 12] {
            _ = await fixture.get("/-/resources/people/user-\(id)")
            for _ in 0..<2 {
                let answer = await fixture.send(.put, "/-/resources/people/user-\(id)/favourite")
                #expect(answer.status == 204)
            }
        }
        let all = await fixture.get("/-/favourites?resource=people")
        #expect(all.json.elements.compactMap { $0["title"]?.word } == ["User 1", "User 12", "User 3"])
        let first = all.json.elements[0]
        #expect(first["initial"]?.word == "U")
        #expect(first["resource"]?.word == "people")
        #expect(first["item"]?["followers"]?.word == "1")
        #expect(await fixture.get("/-/favourites?q=user+1").json.elements.count == 2)
        #expect(await fixture.get("/-/favourites", ["If-None-Match": all.tag]).status == 200)
        #expect(await fixture.get("/-/favourites?resource=people", ["If-None-Match": all.tag]).status == 304)
        let page = await fixture.get("/-/favourites?limit=2")
        #expect(page.json.elements.count == 2)
        #expect(await fixture.get(page.next ?? "").json.elements.count == 1)
        #expect(await fixture.send(.delete, "/-/resources/people/user-3/favourite").status == 204)
        #expect(await fixture.send(.delete, "/-/resources/people/user-3/favourite").status == 404)
        #expect(await fixture.send(.put, "/-/resources/people/user-40/favourite").status == 404)
        #expect(await fixture.get("/-/favourites").json.elements.count == 2)
    }
}
