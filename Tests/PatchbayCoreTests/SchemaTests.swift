@testable import PatchbayCore
@testable import PatchbayTestKit
import Testing

@Suite("schemas") struct SchemaTests {
    @Test("a definition is the line shown in the documentation")
    func definition() {
        let users = CollectionSchema(
            "users", key: 0,
            indexes: [
                Index("by_login", .caseFolded(1)), Index("by_id_name", .exact(0), .exact(2), unique: true),
            ],
            fields: [Field("id", .integer), Field("login", .text), Field("name", .text, isOptional: true)])
        #expect(
            users.definition == "users(id integer, login text, name text null; key id; "
                + "by_login login:nocase; by_id_name:unique id name)")
    }

    @Test("fields in a different order than their columns are refused, whatever their types")
    func columnOrder() {
        let id = RowColumn<Int64>(0, "id"), login = RowColumn<String>(1, "login"),
            name = RowColumn<String?>(2, "name")
        func fault(_ fields: [Field]) -> String? {
            CollectionSchema(unchecked: "users", key: [0], indexes: [], fields: fields).fault
        }
        #expect(fault([id.field, login.field, name.field]) == nil)
        #expect(fault([id.field, Field("login", .text), name.field]) == nil)
        #expect(
            fault([id.field, name.field, login.field])
                == "the column users.name has position 2, but its field is at 1")
        #expect(fault([id.field, name.field]) != nil)
        // The position of a column does not change the definition.
        #expect(login.field == Field("login", .text))
    }

    @Test(
        "a definition is read back as the same collection", arguments: Sample.schema.collections + [awkward])
    func roundTrip(_ collection: CollectionSchema) throws {
        let read = try #require(CollectionSchema(definition: collection.definition))
        #expect(read == collection)
        #expect(read.fields == collection.fields && read.indexes == collection.indexes)
        #expect(read.primaryKey == collection.primaryKey && read.requiredFields == collection.requiredFields)
    }

    @Test("a stored definition is that of a known collection, or is read")
    func stored() throws {
        let known = [Sample.people, SchemaTests.awkward], people = Sample.people
        #expect(CollectionSchema.stored(people.definition, known: known) === people)
        let older = people.withoutIndexes
        let read = try #require(CollectionSchema.stored(older.definition, known: known))
        #expect(read == older && read != people)
        #expect(CollectionSchema.stored(people.definition + ")", known: known) == nil)
    }

    /// Names that are keywords of the definition itself.
    static let awkward = CollectionSchema(
        "key", key: 1, 0,
        indexes: [
            Index("unique", .exact(0)), Index("key", .caseFolded(2), .exact(0), unique: true),
            Index("by_unique", .exact(2), .exact(1)), Index("nocase", .exact(1), .caseFolded(1)),
        ],
        fields: [
            Field("unique", .integer), Field("nocase", .text), Field("null", .text, isOptional: true),
            Field("key", .bytes),
        ])

    @Test(
        "damaged definitions are nil, not a crash",
        arguments: [
            "", "(", ")", "a", "a()", "a(;)", "a(id integer)", "a(id integer; )", "a(id integer; key)",
            "a(id integer; key other)", "a(id number; key id)", "a(id integer nul; key id)",
            "a(id integer; keys id)",
            "A(id integer; key id)", "a(Id integer; key Id)", "a(id integer, id text; key id)",
            "a(id integer null; key id)", "a(id real; key id)", "a(id bytes; key id)",
            "a(id integer, x real; key id; by_x x)", "a(id integer; key id; by_id id:nocase)",
            "a(id integer; key id:nocase)", "a(id integer; key id; i id; i id)", "a(id integer; key id; by)",
            "a(id integer; key id;)", "a(id integer; key id; )", " a(id integer; key id)",
            "a(id integer; key id) ",
            "a(id  integer; key id)", "a(id integer;key id)", "a(id integer; key id; i:unique:unique id)",
            "a(id integer, ; key id)", "a(id integer; key id; by_id: id)",
        ])
    func damaged(_ text: String) {
        #expect(CollectionSchema(definition: text) == nil)
    }

    @Test(
        "a definition with more fields than a collection may have is damaged",
        arguments: [57, 63, 64, 65, 1_000])
    func tooManyFields(_ count: Int) {
        let fields = (0..<count).map { "f\($0) integer" }.joined(separator: ", ")
        #expect(CollectionSchema(definition: "a(\(fields); key f0)") == nil)
    }

    @Test("truncating or changing a byte of a definition never crashes")
    func mutated() {
        var generator = SeededGenerator.fromEnvironment()
        let whole = Array(Sample.people.definition.utf8)
        for _ in 0..<2_000 {
            var bytes = Array(whole.prefix(Int.random(in: 0...whole.count, using: &generator)))
            for _ in 0..<2 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = generator.pick(
                    whole + [0, 0x3A, 0xFF])
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let read = CollectionSchema(definition: text) { #expect(read.definition == text) }
        }
    }
}

@Suite("migrations") struct MigrationTests {
    private static let fields = [Field("id", .integer), Field("login", .text)]
    private static let more = Field("name", .text, isOptional: true)
    private static let byLogin = Index("by_login", .exact(1)), byName = Index("by_name", .exact(2))

    private func users(_ fields: [Field], _ indexes: [Index] = [], key: Int = 0) -> CollectionSchema {
        CollectionSchema("users", key: key, indexes: indexes, fields: fields)
    }

    @Test("the same declaration needs no migration")
    func nothing() throws {
        let users = users(MigrationTests.fields, [MigrationTests.byLogin])
        #expect(try users.migration(from: users).isEmpty)
    }

    @Test("added optional fields and changed indexes are a migration")
    func additive() throws {
        let old = users(MigrationTests.fields, [MigrationTests.byLogin])
        let new = users(MigrationTests.fields + [MigrationTests.more], [MigrationTests.byName])
        let migration = try new.migration(from: old)
        #expect(migration.addedFields == [MigrationTests.more])
        #expect(migration.addedIndexes == [MigrationTests.byName])
        #expect(migration.removedIndexes == [MigrationTests.byLogin])
        #expect(!migration.isEmpty)
    }

    @Test("an index that became unique is removed and added")
    func becameUnique() throws {
        let unique = Index("by_login", .exact(1), unique: true)
        let migration = try users(MigrationTests.fields, [unique])
            .migration(from: users(MigrationTests.fields, [MigrationTests.byLogin]))
        #expect(migration.addedIndexes == [unique] && migration.removedIndexes == [MigrationTests.byLogin])
    }

    @Test("a change that would lose data is unsupported, and the error shows both declarations")
    func refused() {
        let old = users(MigrationTests.fields)
        let changes = [
            users(Array(MigrationTests.fields.prefix(1))), users(MigrationTests.fields, key: 1),
            users(MigrationTests.fields + [Field("must", .integer)]),
            users([MigrationTests.fields[0], Field("login", .bytes)]),
            users([MigrationTests.fields[0], Field("login", .text, isOptional: true)]),
            users([MigrationTests.fields[0], MigrationTests.more, MigrationTests.fields[1]]),
        ]
        for new in changes {
            let error = #expect(throws: PatchbayError.self) { try new.migration(from: old) }
            #expect(error?.code == .unsupported)
            #expect(error?.note("stored") == old.definition && error?.note("wanted") == new.definition)
        }
    }
}
