import PatchbayCore
@testable import PatchbayTestKit
import StoragePostgreSQL
import Testing
import TestSupport

@Suite("Tables that other programs use too", .mayBlock, .needsPostgreSQL)
struct ForeignHandsTests {
    private let server = TestServer()

    @Test("the tables have the fields as columns and nothing else, for any SQL tool")
    func readable() async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1, "ann", name: "Ann", stars: 7)], in: Sample.people)
        let columns = try server.psql(
            "SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) "
                + "FROM information_schema.columns WHERE table_schema = '\(server.schema)' AND table_name = 'people'"
        )
        #expect(
            columns == "id bigint, login text, name text, stars bigint, team bigint, score double precision, "
                + "ratio double precision, photo bytea, note bytea")
        #expect(try server.psql("SELECT login, name, stars FROM people") == "ann|Ann|7")
        try await storage.close()
    }

    @Test("rows that another program writes are found along every index, and verify as intact")
    func written() async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(2, "bob")], in: Sample.people)
        let before = try await storage.revision()
        try server.psql(
            """
            INSERT INTO people (id, login, name, stars, score, photo)
            VALUES (1, 'Ann\\\\', 'Ännchen ''x''', -5, 0.5, ''), (3, 'cid', NULL, 9, 0.5, '');
            UPDATE people SET login = 'BOBBY', name = 'Bob' WHERE id = 2;
            INSERT INTO issues (repository, number, title) VALUES ('r', -1, 't')
            """)
        let ann = Sample.person(1, "Ann\\\\", name: "Ännchen 'x'", stars: -5)
        let rows = [ann, Sample.person(2, "BOBBY", name: "Bob"), Sample.person(3, "cid", stars: 9)]
        for index in [Sample.people.primaryKey] + Sample.people.indexes {
            let query = Query(Sample.people, by: index)
            #expect(try await storage.rows(query) == NaiveWalk(rows: rows).rows(query))
        }
        try await storage.close()
        let store = try await Store(storage, schema: Sample.schema)
        #expect(try await store.verify().faults == [])
        // A program that changes rows without Patchbay increments the revision to notify observers.
        try server.psql("UPDATE patchbay_store SET revision = revision + 1")
        #expect(try await storage.revision() == before + 1)
        try await store.close()
    }

    @Test(
        "values that the fields cannot have are reported as damage with their place",
        arguments: [
            (
                "ALTER TABLE people ALTER login DROP NOT NULL; UPDATE people SET login = NULL",
                "must not be null"
            ),
            ("UPDATE people SET score = 'NaN'", "is not a number"),
            ("ALTER TABLE people ALTER stars TYPE integer", "is no longer bigint"),
        ])
    func damage(_ sql: String, _ words: String) async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1, "ann")], in: Sample.people)
        try server.psql(sql)
        let error = await fault { _ = try await storage.rows(Query(Sample.people)) }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains(words) == true)
        #expect(error?.collection == "people")
        try await storage.close()
        let store = try await Store(storage, schema: Sample.schema)
        #expect(try await !store.verify().faults.isEmpty)
        try await store.close()
    }

    @Test("verifying finds a value that occurs twice in a unique index")
    func duplicate() async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1, "ann")], in: Sample.people)
        try server.psql("INSERT INTO people (id, login, stars, score, photo) VALUES (2, 'ANN', 0, 0, '')")
        try await storage.close()
        let store = try await Store(storage, schema: Sample.schema)
        let faults = try await store.verify().faults
        #expect(faults.contains { $0.message.contains("unique") })
        try await store.close()
    }

    @Test(
        "the name of a missing table, column or index, or of a damaged one, is reported",
        arguments: [
            ("DROP TABLE people", "people"), ("DROP INDEX people_by_stars", "people_by_stars"),
            ("ALTER TABLE people DROP note", "people.note"),
            ("DROP TABLE patchbay_commits", "patchbay_commits"),
            (
                "CREATE TABLE copy AS SELECT * FROM patchbay_schema; DROP TABLE patchbay_schema; "
                    + "CREATE TABLE patchbay_schema AS SELECT * FROM copy UNION ALL SELECT * FROM copy",
                "patchbay_schema"
            ),
        ])
    func missing(_ sql: String, _ name: String) async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1)], in: Sample.people)
        try server.psql(sql)
        let faults = try await storage.verifyFiles { _ in }
        #expect(faults.contains { $0.message.contains(name) || $0.place?.contains(name) == true })
        try await storage.close()
        if sql.contains("ALTER") { return }
        for access in StorageAccess.allCases {
            let again = server.storage()
            let error = await fault { try await again.open(StorageOpening(Sample.schema, access)) }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test("the error of opening names every missing table")
    func severalMissing() async throws {
        try await server.open().close()
        try server.psql("DROP TABLE issues; DROP TABLE people")
        let error = await fault { try await server.storage().open(StorageOpening(nil, .reading)) }
        #expect(error?.message.contains("\"people\", ") == true)
        #expect(error?.message.contains("\"issues\", ") == true)
        #expect(error?.message.hasSuffix("from a copy, or remove the storage and sync again") == true)
    }

    @Test("a storage that was removed or replaced while open is not found")
    func replaced() async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1)], in: Sample.people)
        try server.psql("DROP SCHEMA \"\(server.schema)\" CASCADE")
        #expect(await fault { _ = try await storage.rows(Query(Sample.people)) }?.code == .notFound)
        let other = try await server.open()
        #expect(
            await fault { try await storage.put([Sample.person(2)], in: Sample.people) }?.code == .notFound)
        #expect(await fault { _ = try await storage.revision() }?.code == .notFound)
        #expect(await fault { _ = try await storage.rows(Query(Sample.people)) }?.code == .notFound)
        #expect(try await other.rows(Query(Sample.people)).isEmpty)
        try await storage.close()
        try await other.close()
    }

    @Test("a writer with an older schema can no longer write but still read")
    func newerSchema() async throws {
        let old = try await server.open(), new = server.storage()
        try await old.put([Sample.person(1)], in: Sample.people)
        try await new.open(Schema(version: 2, Sample.schema.collections))
        let error = await fault { try await old.put([Sample.person(2)], in: Sample.people) }
        #expect(error?.code == .unsupported)
        #expect(try await old.rows(Query(Sample.people)) == [Sample.person(1)])
        try await new.put([Sample.person(3)], in: Sample.people)
        #expect(try await old.rows(Query(Sample.people)).count == 2)
        try await old.close()
        try await new.close()
    }

    @Test("a name that another program uses in the schema is refused before anything is created")
    func taken() async throws {
        try PostgreSQLServer.psql("CREATE SCHEMA \"\(server.schema)\"")
        try server.psql("CREATE TABLE issues_by_title (x integer)")
        let storage = server.storage()
        let error = await fault { try await storage.open(Sample.schema) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("issues_by_title") == true)
        #expect(
            try server.psql("SELECT count(*) FROM pg_tables WHERE schemaname = '\(server.schema)'") == "1")
    }

    @Test("names that exceed PostgreSQL's limit stay distinct")
    func longNames() async throws {
        let name = String(repeating: "a", count: 48)
        let collection = CollectionSchema(
            name, key: 0,
            indexes: (1...3).map { Index(String(repeating: "b", count: 40) + "\($0)", .exact($0)) },
            fields: [Field("id", .text)] + (1...3).map { Field("f\($0)", .integer) })
        let storage = server.storage()
        try await storage.open(Schema(version: 1, [collection]))
        let rows: [Values] = (0..<10).map {
            [.text("k\($0)"), .integer($0 % 3), .integer(-$0), .integer($0 % 2)]
        }
        try await storage.put(rows, in: collection)
        for index in collection.indexes {
            let query = Query(collection, by: index)
            #expect(try await storage.rows(query) == NaiveWalk(rows: rows).rows(query))
        }
        #expect(try await storage.verifyFiles { _ in } == [])
        try await storage.close()
    }

    @Test("erasing removes the storage, and keeps other tables in its schema")
    func erased() async throws {
        let storage = try await server.open()
        try await storage.put([Sample.person(1)], in: Sample.people)
        try server.psql("CREATE TABLE notes (text text)")
        try await storage.close()
        try await storage.erase()
        #expect(try server.psql("SELECT to_regclass('notes')") == "notes")
        let error = await fault { try await storage.open(StorageOpening(Sample.schema, .writing)) }
        #expect(error?.code == .notFound)
        try server.psql("DROP TABLE notes")
        try await storage.open(Sample.schema)
        #expect(try await storage.rows(Query(Sample.people)).isEmpty)
        try await storage.close()
        try await storage.erase()
        try await storage.erase()
        #expect(
            try PostgreSQLServer.psql("SELECT 1 FROM pg_namespace WHERE nspname = '\(server.schema)'").isEmpty
        )
    }
}
