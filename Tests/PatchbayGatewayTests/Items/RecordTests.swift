import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A program's own records")
struct RecordTests {
    private let fixture: ItemsFixture

    init() async throws { fixture = try await ItemsFixture() }

    private func item(_ change: (inout Person) -> Void = { _ in }) throws -> Item {
        var person = Person(1, "ada")
        change(&person)
        return try Item(encoding: person, of: fixture.people)
    }

    @Test("encoding and decoding a struct returns the same value")
    func roundTrip() async throws {
        var person = Person(1, "ada")
        person.bio = "\"quoted\"\u{2028}é"
        person.tags = ["a", "", "\\"]
        (person.score, person.isActive) = (-0.25, false)
        person.seenAt = Timestamp(milliseconds: -62_135_596_800_001)
        let item = try Item(encoding: person, of: fixture.people)
        #expect(try item.decoded(as: Person.self) == person)
        #expect(item["seen_at"] == .time(person.seenAt!) && item["tags"] == .json(#"["a","","\\"]"#))
        #expect(item.known.contains(position: fixture.people.field(named: "picture")!.place))
    }

    @Test("a field without a property is unknown")
    func unknown() async throws {
        let item = try Item(encoding: ListedPerson(id: 1, handle: "a", picture: nil), of: fixture.people)
        let known = fixture.people.fields.filter { item.known.contains(position: $0.place) }.map(\.name)
        #expect(known == ["id", "handle", "picture"])
    }

    @Test("answers contain the struct, with edits applied")
    func show() async throws {
        #expect(try await fixture.gateway.show(Person.self, "person-3").ending.value == Person(3))
        try await fixture.edit("person-3", "Mine")
        let answers = await (try fixture.gateway.show(Person.self, "person-3")).all
        #expect(answers.map(\.value?.name) == ["Mine", "Mine"])
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
    }

    struct Unfit: ResourceRecord {
        static let resource = "people"
        let score: Int
    }

    @Test("a row that does not fit ends the answers with a failure; an unknown resource throws")
    func unfit() async throws {
        fixture.feed.change { $0[2].score = 0.5 }
        let answer = await (try fixture.gateway.show(Unfit.self, "person-3")).ending
        guard case .failed(let error) = answer.outcome else {
            Issue.record("\(answer.outcome)")
            return
        }
        #expect(error.code == .invalidValue)
        #expect(error.message == "people.score of \"person-3\" is a real; Int is wanted")
        struct Stranger: ResourceRecord { static let resource = "stars" }
        #expect(throws: PatchbayError.self) { try fixture.gateway.show(Stranger.self, "x") }
    }

    struct Nested: Decodable, Equatable {
        enum Kind: String, Decodable { case good, bad }
        struct Entry: Decodable, Equatable {
            let nodeID: UInt8
            let kind: Kind?
            let at: Timestamp?
            let ratios: [Double]
        }

        let handle: String
        let tags: [String: Entry]
    }

    private func nested(_ json: String) throws -> Nested {
        var builder = ItemBuilder()
        let people = fixture.people
        builder.begin(people)
        builder.set(people.field(named: "id")!, 1 as Int64)
        builder.set(people.field(named: "handle")!, "ada")
        builder.set(people.field(named: "tags")!, json)
        return try builder.finish().decoded()
    }

    @Test("JSON is decoded into dictionaries, arrays, enumerations and structs")
    func json() async throws {
        let json = #"{"x":{"node_id":255,"kind":"bad","at":"1970-01-01T00:00:01Z","ratios":[1,0.5]}}"#
        let entry = Nested.Entry(
            nodeID: 255, kind: .bad, at: Timestamp(milliseconds: 1_000), ratios: [1, 0.5])
        #expect(try nested(json) == Nested(handle: "ada", tags: ["x": entry]))
        #expect(try nested("{}").tags.isEmpty)
    }

    @Test(
        "a mismatch names the resource, the field and the expected type",
        arguments: [
            (#"[]"#, "people.tags of \"ada\" is an array; an object is wanted"),
            (
                #"{"x":{"node_id":256,"ratios":[]}}"#,
                "people.tags.x.nodeID of \"ada\" is an integer; UInt8 is wanted"
            ),
            (#"{"x":{"node_id":1}}"#, "people.tags.x.ratios of \"ada\" is missing; Array<Double> is wanted"),
            (
                #"{"x":{"node_id":null,"ratios":[]}}"#,
                "people.tags.x.nodeID of \"ada\" is null; UInt8 is wanted, so make the property optional"
            ),
            (
                #"{"x":{"node_id":1,"ratios":[1,"2"]}}"#,
                "people.tags.x.ratios.1 of \"ada\" is a text; Double is wanted"
            ),
            ("{", "people.tags of \"ada\" is not JSON"),
        ])
    func mismatch(_ json: String, _ message: String) async throws {
        let error = #expect(throws: PatchbayError.self) { try nested(json) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message == message)
    }

    @Test("the error for a value that is not a case of an enumeration names its place")
    func enumeration() async throws {
        let error = #expect(throws: PatchbayError.self) {
            try nested(#"{"x":{"node_id":1,"kind":"ugly","ratios":[]}}"#)
        }
        #expect(error?.message.hasPrefix("people.tags.x.kind of \"ada\" does not fit Nested") == true)
    }

    struct Misspelt: Decodable { let nmae: String? }
    struct Required: Decodable { let name: String }
    struct Wrong: Decodable { let handle: Int }
    struct Spellings: Decodable { let isActive: Bool?, seen_at: Timestamp?, SCORE: Float? }

    @Test("a misspelt property, a null and a wrong type are errors")
    func fields() async throws {
        let item = try item { ($0.name, $0.isActive, $0.score) = (nil, true, 2) }
        func message<Record: Decodable & Sendable>(_ type: Record.Type) -> String? {
            #expect(throws: PatchbayError.self) { try item.decoded(as: type) }?.message
        }
        #expect(message(Misspelt.self) == "people has no field \"nmae\" (did you mean \"name\"?)")
        #expect(
            message(Required.self)
                == "people.name of \"ada\" is null; String is wanted, so make the property optional")
        #expect(message(Wrong.self) == "people.handle of \"ada\" is a text; Int is wanted")
        let error = #expect(throws: PatchbayError.self) { try item.decoded(as: Wrong.self) }
        #expect(error?.key == item.keyText && error?.field == "handle")
        #expect(message([Int].self) == "a row of people is decoded into a struct with named properties")
        let spelt = try item.decoded(as: Spellings.self)
        #expect(spelt.isActive == true && spelt.SCORE == 2 && spelt.seen_at == nil)
    }

    struct BadField: Encodable { let id: Int64 = 1, nmae = "x" }
    struct BadType: Encodable { let id: Int64 = 1, handle = 5 }
    struct NoKey: Encodable { let handle = "x" }
    struct Infinite: Encodable { let id: Int64 = 1, score = Double.infinity }

    @Test("a record that does not fit the resource cannot be encoded")
    func encoding() async throws {
        func message(_ record: some Encodable & Sendable) -> String? {
            #expect(throws: PatchbayError.self) { try Item(encoding: record, of: fixture.people) }?.message
        }
        #expect(message(BadField()) == "people has no field \"nmae\" (did you mean \"name\"?)")
        #expect(message(BadType()) == "people.handle is an integer; text is wanted")
        #expect(message(NoKey()) == "test_people.id must have a value")
        #expect(message(Infinite()) == "score is inf, which no field can hold")
        #expect(message([1]) == "a row of people is made from a struct with named properties")
    }
}
