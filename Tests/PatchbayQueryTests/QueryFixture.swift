import Patchbay
import PatchbayPlugins
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport

/// A person with values of every type. Fields that end in `Edit` are local edits.
struct Person: Sendable {
    var id: Int64
    var login: String
    var name: String?
    var nameEdit: String?
    var team: String?
    var age: Int64?
    var score: Double?
    var isActive: Bool?
    var joined: Int64?
    var tags: String?
    var fetched: Int64? = 1_790_000_000_000
    var gone: Int64?
    var change: Int64?

    static let declaration: ResourceDeclaration = {
        var people = ResourceDeclaration(
            "people",
            fields: [
                FieldDeclaration("id", .integer), FieldDeclaration("login", .text),
                FieldDeclaration("name", .text), FieldDeclaration("team", .text),
                FieldDeclaration("age", .integer), FieldDeclaration("score", .real),
                FieldDeclaration("is_active", .boolean), FieldDeclaration("joined", .time),
                FieldDeclaration("tags", .json),
            ], key: ["id"], lists: [ListDeclaration(nil, Template([.literal("/people")]))])
        people.handle = HandleDeclaration("login")
        people.title = ["name"]
        people.editable = ["name"]
        people.indexes = [
            IndexDeclaration("by_age", [("age", false)]),
            IndexDeclaration("by_team", [("team", false), ("joined", false)]),
            IndexDeclaration("by_joined", [("joined", false)]),
        ]
        return people
    }()

    /// The columns of the tables, in order.
    var values: [SQLValue] {
        [
            .integer(id), .text(login), nameEdit.map { $0.isEmpty ? .null : .text($0) } ?? SQLValue(name),
            SQLValue(team), SQLValue(age), score.map { .real($0) } ?? .null,
            SQLValue(isActive.map { $0 ? 1 : 0 }), SQLValue(time: joined), SQLValue(tags), SQLValue(name),
            .text(String(id)), SQLValue(time: fetched),
            SQLValue(fetched.map { max(0, (QueryFixture.now.milliseconds - $0) / 1_000) }),
            SQLValue(change), SQLValue(time: gone), .null,
        ]
    }
}

/// A note, whose key is two values.
struct Note: Sendable {
    var person: Int64
    var slug: String
    var size: Int64?
    var at: Int64?

    static let declaration: ResourceDeclaration = {
        var notes = ResourceDeclaration(
            "notes",
            fields: [
                FieldDeclaration("person", .integer), FieldDeclaration("slug", .text),
                FieldDeclaration("size", .integer), FieldDeclaration("at", .time),
            ], key: ["person", "slug"], lists: [ListDeclaration(nil, Template([.literal("/notes")]))])
        notes.indexes = [IndexDeclaration("by_size", [("size", false)])]
        return notes
    }()

    var values: [SQLValue] {
        let key = KeyText(.compound([.integer(person), .text(slug)])).text
        return [
            .integer(person), .text(slug), SQLValue(size), SQLValue(time: at), .text(key),
            SQLValue(time: 1_790_000_000_000), .integer(0), .null, .null, .null,
        ]
    }
}

/// A code, whose key is a text that may look like a number.
struct Code: Sendable {
    var code: String
    var num: Int64?
    var alt: String?

    static let declaration: ResourceDeclaration = {
        var codes = ResourceDeclaration(
            "codes",
            fields: [
                FieldDeclaration("code", .text), FieldDeclaration("num", .integer),
                FieldDeclaration("alt", .text),
            ], key: ["code"], lists: [ListDeclaration(nil, Template([.literal("/codes")]))])
        codes.indexes = [IndexDeclaration("by_alt", [("alt", false), ("num", false)])]
        return codes
    }()

    var values: [SQLValue] {
        [
            .text(code), SQLValue(num), SQLValue(alt), .text(KeyText(.text(code)).text),
            SQLValue(time: 1_790_000_000_000), .integer(0), .null, .null, .null,
        ]
    }
}

extension SQLValue {
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    init(time: Int64?) { self.init(time.map { Timestamp(milliseconds: $0).description }) }
}

/// The same rows in a storage and in plain tables.
struct QueryFixture: Sendable {
    static let now = Timestamp(milliseconds: 1_790_000_000_000)
    let gateway: Gateway
    let tables: SQLTables
    /// Kept until the test ends.
    private let places: StoragePlaces
    private let folder: TemporaryDirectory

    init(
        _ storage: String = "memory", people: [Person] = [], notes: [Note] = [], codes: [Code] = []
    ) async throws {
        folder = try TemporaryDirectory()
        places = StoragePlaces()
        var settings = places.settings(storage, at: "\(folder.path)/store")
        if storage != "memory" { settings["durability"] = "off" }
        let opened = try await PluginSet.builtIn.storages.plugin(named: storage).open(
            Settings("storage", settings))
        var source = Source(name: "scripted")
        source.word = "test"
        source.resources = [Person.declaration, Note.declaration, Code.declaration]
        gateway = try await Gateway(storage: opened, source: source, now: { Self.now })
        // Other tests occupy the threads of the process for long.
        tables = try SQLTables([gateway], SQLTables.threads(patience: .seconds(600)))
        try await put(people)
        try await put(notes)
        try await put(codes)
    }

    func put(_ people: [Person]) async throws {
        try await put(people, in: "people") { person, row, resource in
            row.set(0, person.fetched)
            row.set("id", person.id, resource)
            row.set("login", person.login, resource)
            row.set("name", person.name, resource)
            row.set("name_override", person.nameEdit, resource)
            row.set("team", person.team, resource)
            row.set("age", person.age, resource)
            if let score = person.score { row.set(resource.position("score"), score) }
            row.set("is_active", person.isActive.map { $0 ? 1 : 0 }, resource)
            row.set("joined_ms", person.joined, resource)
            row.set("tags", person.tags, resource)
            row.set("gone_at_ms", person.gone, resource)
            row.set("change_number", person.change, resource)
        }
    }

    func put(_ notes: [Note]) async throws {
        try await put(notes, in: "notes") { note, row, resource in
            row.set(0, Self.now.milliseconds)
            row.set("person", note.person, resource)
            row.set("slug", note.slug, resource)
            row.set("size", note.size, resource)
            row.set("at_ms", note.at, resource)
        }
    }

    func put(_ codes: [Code]) async throws {
        try await put(codes, in: "codes") { code, row, resource in
            row.set(0, Self.now.milliseconds)
            row.set("code", code.code, resource)
            row.set("num", code.num, resource)
            row.set("alt", code.alt, resource)
        }
    }

    private func put<Value: Sendable>(
        _ values: [Value], in name: String,
        _ set: @Sendable (Value, inout RowBuilder, Resource) -> Void
    ) async throws {
        let resource = try gateway.resource(name)
        try await gateway.store.write { writing in
            var row = RowBuilder()
            for value in values {
                row.begin(resource.collection)
                set(value, &row, resource)
                try writing.put(row.finish(), in: resource.collection)
            }
        }
    }

    func rows(
        _ sql: String, _ parameters: [String: SQLValue] = [:], _ limits: SQLLimits = SQLLimits()
    ) async throws -> [[SQLValue]] {
        var all: [[SQLValue]] = []
        for try await row in try await tables.query(sql, parameters, limits: limits) {
            all.append(row.values)
        }
        return all
    }

    /// The error of a statement; nil when it succeeds.
    func error(_ sql: String, _ parameters: [String: SQLValue] = [:]) async -> PatchbayError? {
        do {
            _ = try await rows(sql, parameters)
            return nil
        } catch {
            return error as? PatchbayError ?? PatchbayError(.internalError, "\(error)")
        }
    }

    func plan(_ sql: String) async throws -> [String] {
        try await tables.explain(sql).steps.map(\.text)
    }
}

extension Resource {
    fileprivate func position(_ column: String) -> Int {
        collection.fields.firstIndex { $0.name == column }!
    }
}

extension RowBuilder {
    fileprivate mutating func set(_ position: Int, _ value: Int64?) {
        if let value { set(position, value) }
    }

    fileprivate mutating func set(_ column: String, _ value: Int64?, _ resource: Resource) {
        set(resource.position(column), value)
    }

    fileprivate mutating func set(_ column: String, _ value: String?, _ resource: Resource) {
        if let value { set(resource.position(column), value) }
    }
}
