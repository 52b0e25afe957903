import PatchbayTestKit
import PatchbayCore
import StorageSQLite
import Testing

@Suite(
    "files of other programs stay unchanged",
    .enabled(if: TestFolder.hasSQLiteShell, "needs the sqlite3 shell"))
struct ForeignFileTests {
    @Test("a file that is not SQLite")
    func notSQLite() async throws {
        for content in ["hello", String(repeating: "name,login\n", count: 2_000)] {
            let folder = try TestFolder()
            folder.write(Array(content.utf8))
            let error = try await refusal(folder)
            #expect(error.message.contains("is not an SQLite database"))
        }
    }

    @Test("a database of another program, with or without an application id")
    func otherProgram() async throws {
        for mark in ["select 1", "pragma application_id = 7", "pragma journal_mode = wal"] {
            let folder = try TestFolder()
            _ = folder.sqlite3("\(mark); create table users (id, login); insert into users values (1, 'ada')")
            let error = try await refusal(folder)
            #expect(error.message.contains("another program"))
            #expect(folder.sqlite3("select login from users") == "ada")
        }
    }

    @Test("an empty database without an application id becomes Patchbay's")
    func emptyDatabase() async throws {
        let folder = try TestFolder()
        _ = folder.sqlite3("vacuum")
        #expect(folder.bytes().count > 0)
        try await folder.storage().close()
        #expect(folder.sqlite3("select count(*) from users") == "0")
    }

    @Test("an empty file is reported as damaged with any access", arguments: StorageAccess.allCases)
    func emptyFile(_ access: StorageAccess) async throws {
        let folder = try TestFolder()
        folder.write([])
        let error = await fault {
            try await SQLiteStorage(path: folder.database).open(
                StorageOpening(TestCollections.schema, access))
        }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("is empty, where a database should be") == true)
        #expect(folder.names == ["test.sqlite"])
        #expect(folder.size(of: "test.sqlite") == 0)
    }

    @Test("a view or virtual table in place of a table is reported as damage and never run")
    func view() async throws {
        for replacement in [
            "create view tags as with recursive n(tag) as (select 1 union all select tag from n) select * from n",
            "create virtual table tags using fts5(tag)",
        ] {
            let folder = try TestFolder()
            try await folder.storage().close()
            #expect(folder.sqlite3("drop table tags; \(replacement)") == "")
            let error = await fault { _ = try await folder.storage() }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains("\"tags\" is missing") == true)
        }
    }

    @Test("a schema of Patchbay that another program damaged is corrupted")
    func damagedSchema() async throws {
        for damage in [
            "drop index users_by_name", "drop table tags", "update patchbay_schema set definition = 'x'",
            "create table copy as select * from patchbay_schema; drop table patchbay_schema; "
                + "create table patchbay_schema as select * from copy union all select * from copy",
        ] {
            let folder = try TestFolder()
            try await folder.storage().close()
            #expect(folder.sqlite3(damage) == "")
            let error = await fault { _ = try await folder.storage() }
            #expect(error?.code == .corrupted, "\(damage)")
            #expect(error?.file == folder.database)
        }
    }

    /// Returns the error of opening, and checks that the folder stays unchanged.
    private func refusal(_ folder: TestFolder) async throws -> PatchbayError {
        let before = folder.bytes(), names = folder.names
        let error = try #require(await fault { _ = try await folder.storage() })
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains(folder.database))
        #expect(folder.bytes() == before)
        #expect(folder.names == names)
        return error
    }
}
