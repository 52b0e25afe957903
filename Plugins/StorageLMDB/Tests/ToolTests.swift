import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("LMDB's own tools")
struct ToolTests {
    private static let hasTools = Disk.run("command -v mdb_stat mdb_dump").status == 0

    @Test("mdb_stat opens the folder while the storage is open", .enabled(if: hasTools, "needs lmdb-utils"))
    func stat() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.put(storage, [(1, "a"), (2, "b")])
                let (status, output) = Disk.run("mdb_stat -a '\(path)'")
                #expect(status == 0, "\(output)")
                for name in ["_schema", "notes", "notes.by_title"] {
                    #expect(output.contains("Status of \(name)\n"))
                }
                #expect(output.contains("Entries: 2"))
            }
        }
    }

    @Test("mdb_dump shows the schema as text", .enabled(if: hasTools, "needs lmdb-utils"))
    func dump() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { _ in }
            let (status, output) = Disk.run("mdb_dump -p -s _schema '\(path)'")
            #expect(status == 0)
            #expect(output.contains("notes(id integer, title text; key id; by_title title)"))
        }
    }

    @Test("another program's environment is refused", .enabled(if: hasTools, "needs lmdb-utils"))
    func foreign() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/other"
            try Disk.makeFolder(path)
            let dump = "VERSION=3\\nformat=bytevalue\\ntype=btree\\nHEADER=END\\n 61\\n 62\\nDATA=END\\n"
            try #require(Disk.run("printf '\(dump)' | mdb_load '\(path)'").status == 0)
            let before = try Disk.read(path + "/data.mdb")
            #expect(await Notes.code { try await Notes.open(path) { _ in } } == .invalidConfiguration)
            #expect(try Disk.read(path + "/data.mdb") == before)
        }
    }
}
