import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Editing a field of a row")
struct EditItemTests {
    private func edited() async throws -> ItemsFixture {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-3")
        #expect(try await fixture.gateway.edit(fixture.people, "person-3", "name", to: "Mine").hasChanged)
        return fixture
    }

    @Test("an edit is stored beside the source's value and is shown")
    func edit() async throws {
        let fixture = try await edited()
        let item = try #require(try await fixture.stored(3))
        #expect(item.name == "Mine" && item.title == "Mine")
        #expect(item.text("name") == "Mine" && item["name"] == .text("Person 3"))
    }

    @Test("an unchanged refresh keeps an edit")
    func unchanged() async throws {
        let fixture = try await edited()
        #expect(await fixture.show("person-3").last?.outcome.word == "unchanged")
        #expect(try await fixture.stored(3)?.name == "Mine")
    }

    @Test("a refresh with a new value keeps an edit, which then reverts to the new value")
    func newValue() async throws {
        let fixture = try await edited()
        fixture.feed.change { $0[2].name = "Upstream" }
        #expect(await fixture.show("person-3", .refresh).last?.outcome.word == "fresh")
        #expect(try await fixture.stored(3)?.name == "Mine")
        #expect(try await fixture.gateway.revert(fixture.people, "person-3").value.name == "Upstream")
        let name = try #require(fixture.people.field(named: "name"))
        #expect(try await fixture.stored(3)?.override(of: name) == nil)
    }

    @Test("an edit survives a new handle and a list")
    func rename() async throws {
        let fixture = try await edited()
        fixture.feed.rename(3, to: "renamed")
        try await fixture.list(1...5, [3: "renamed"])
        #expect(await fixture.show("renamed").last?.value?.name == "Mine")
        #expect(try await fixture.gateway.revert(fixture.people, "RENAMED").hasChanged)
    }

    @Test("fields are edited and reverted one by one, or reverted together")
    func fields() async throws {
        let fixture = try await edited(), people = fixture.people
        #expect(try await fixture.gateway.edit(people, "person-3", "Bio", to: "Mine, too").hasChanged)
        #expect(try await fixture.gateway.revert(people, "person-3", "name").value.name == "Person 3")
        #expect(try await !fixture.gateway.revert(people, "person-3", "name").hasChanged)
        let bio = try #require(people.field(named: "bio"))
        #expect(try await fixture.stored(3)?.shown(bio) == .text("Mine, too"))
        try await fixture.edit("person-3", "Again")
        let reverted = try await fixture.gateway.revert(people, "person-3").value
        #expect(reverted.name == "Person 3" && reverted.shown(bio) == nil)
    }

    @Test("an edit that changes nothing makes no commit and sends no notice")
    func nothing() async throws {
        let fixture = try await edited(), people = fixture.people
        let storage = fixture.gateway.store.storage
        let revision = try await storage.revision()
        #expect(try await !fixture.gateway.edit(people, "person-3", "name", to: " Mine\n").hasChanged)
        _ = await fixture.show("person-4")
        let shown = try await storage.revision()
        #expect(try await !fixture.gateway.edit(people, "person-4", "name", to: "Person 4").hasChanged)
        #expect(try await !fixture.gateway.revert(people, "person-4").hasChanged)
        #expect(shown == revision + 1)
        #expect(try await storage.revision() == shown)
    }

    @Test("NFC and NFD spellings are different values")
    func spellings() async throws {
        let fixture = try await edited(), people = fixture.people
        #expect(try await fixture.gateway.edit(people, "person-3", "name", to: "caf\u{E9}").hasChanged)
        #expect(try await fixture.gateway.edit(people, "person-3", "name", to: "cafe\u{301}").hasChanged)
        #expect(try await fixture.stored(3)?.name?.unicodeScalars.count == 5)
    }

    @Test("a value is trimmed", arguments: [" Ada ", "\u{3000}Ada\u{A0}", "\r\n\tAda\u{2028}"])
    func trimmed(_ value: String) async throws {
        let people = try await ItemsFixture().people.declaration
        #expect(try EditedText(value, of: "name", in: people).text == "Ada")
    }

    @Test("an empty value shows the field as null until it is reverted", arguments: ["", " \n"])
    func emptied(_ value: String) async throws {
        let fixture = try await edited()
        #expect(try await fixture.gateway.edit(fixture.people, "person-3", "name", to: value).hasChanged)
        let item = try #require(try await fixture.stored(3)),
            name = try #require(item.resource.field(named: "name"))
        #expect(item.shown(name) == nil && item.override(of: name) == "" && item["name"] == .text("Person 3"))
        #expect(try await !fixture.gateway.edit(fixture.people, "person-3", "name", to: value).hasChanged)
        _ = await fixture.show("person-3", .refresh)
        #expect(try await fixture.stored(3)?.shown(name) == nil)
        #expect(try await fixture.gateway.revert(fixture.people, "person-3").value.name == "Person 3")
    }

    @Test("a detail that was not fetched can be emptied before it is known")
    func emptiedUnknown() async throws {
        let fixture = try await ItemsFixture()
        try await fixture.list(1...5)
        #expect(try await fixture.gateway.edit(fixture.people, "person-3", "name", to: "").hasChanged)
        #expect(try await !fixture.gateway.edit(fixture.people, "person-3", "name", to: "").hasChanged)
        #expect(await fixture.show("person-3").last?.value?.name == nil)
    }

    @Test("a field that identifies a row cannot be emptied")
    func identity() async throws {
        let people = try await ItemsFixture().people.declaration
        for field in people.key + [try #require(people.handle?.field)] {
            let error = #expect(throws: PatchbayError.self) { try EditedText(" ", of: field, in: people) }
            #expect(
                error?.message.hasPrefix("the \(field) identifies the person, so it cannot be empty") == true)
        }
    }

    @Test(
        "a value that is too long or contains U+0000 is refused",
        arguments: [String(repeating: "x", count: EditedText.bytesMax + 1), "a\u{0}b"])
    func refused(_ value: String) async throws {
        let fixture = try await edited()
        let error = await #expect(throws: PatchbayError.self) { try await fixture.edit("person-3", value) }
        #expect(error?.code == .invalidValue && error?.message.contains("name") == true)
        let longest = String(repeating: "x", count: EditedText.bytesMax)
        #expect(try EditedText(longest, of: "name", in: fixture.people.declaration).text.utf8.count == 1_024)
    }

    @Test(
        "the error for a field that cannot be edited names the editable ones",
        arguments: [
            ("handle", "the field \"handle\" of people cannot be edited; edit name, bio"),
            ("nmae", "people have no field \"nmae\" (did you mean \"name\"?); edit name, bio"),
        ])
    func otherField(_ field: String, _ message: String) async throws {
        let fixture = try await edited()
        for revert in [false, true] {
            let error = await #expect(throws: PatchbayError.self) {
                if revert {
                    try await fixture.gateway.revert(fixture.people, "person-3", field)
                } else {
                    try await fixture.gateway.edit(fixture.people, "person-3", field, to: "x")
                }
            }
            #expect(error?.code == .invalidValue && error?.message == message)
        }
    }

    @Test("a row that is not stored can be neither edited nor reverted")
    func missing() async throws {
        let fixture = try await ItemsFixture()
        let error = await #expect(throws: PatchbayError.self) { try await fixture.edit("person-3", "Mine") }
        #expect(error?.code == .notFound && error?.collection == "test_people")
        #expect(error?.message == "person \"person-3\" is not stored; fetch it first")
        await #expect(throws: PatchbayError.self) {
            try await fixture.gateway.revert(fixture.people, "person-3")
        }
        #expect(fixture.feed.requests.isEmpty)
    }
}
