import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

/// A program stores notes beside Patchbay's rows in one storage, and `patchbay storage` handles both.
@Suite("A program's own collection", .mayBlock, .timeLimit(.minutes(5)))
struct OwnCollectionTests {
    private static let storages = StorageFolder.durable

    private let folder: TemporaryDirectory
    private let places = StoragePlaces()
    private let command: Command

    init() throws {
        folder = try TemporaryDirectory()
        command = Command(in: folder.path)
    }

    private func gateway(
        _ storage: String, _ own: [CollectionSchema] = [Note.collection], access: StorageAccess = .creating
    ) async throws -> Gateway {
        let configuration = try GatewayConfiguration(
            places.values(storage, at: "\(folder.path)/store.\(storage)"))
        return try await Gateway(
            configuration: configuration, schema: .gateway.adding(own), access: access, isOffline: true)
    }

    /// Stores a row of the source's and three notes.
    private func fill(_ storage: String) async throws {
        let gateway = try await gateway(storage)
        let users = try gateway.resource("users")
        try await gateway.store.write { writing in
            try writing.put(
                ["id": .integer(7), "login": .text("ada")], of: users, at: Timestamp(milliseconds: 1))
            for note in Note.all { try writing.put(note) }
        }
        try await gateway.close()
    }

    private func run(_ arguments: [String], status: Int32 = 0) throws -> Command.Outcome {
        let outcome = try command.run(["storage"] + arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
        return outcome
    }

    private func choosing(_ storage: String, _ path: String) -> [String] {
        places.flags(storage, at: path)
    }

    /// A side of a copy.
    private func side(_ storage: String, _ name: String) throws -> String {
        try places.side(storage, at: "\(folder.path)/\(name)") { path, text in
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test("is shown, checked, exported and compacted by the command", arguments: storages)
    func inOneStorage(_ storage: String) async throws {
        try await fill(storage)
        let chosen = choosing(storage, "store.\(storage)")
        let info = try run(["info", "--schema", "--format", "csv"] + chosen).output
        #expect(info.contains("rows,notes,3\n"))
        #expect(info.contains("rows,github_users,1\n"))
        #expect(info.contains("definition,notes,\"notes(id integer, text text; key id; by_text text)\"\n"))
        #expect(try run(["verify"] + chosen).errors == "no faults in 1 github_users, 3 notes\n")
        #expect(try run(["compact"] + chosen).errors.contains("compacted"))
        let all = try run(["export"] + chosen)
        #expect(all.errors == "4 rows exported\n")
        #expect(all.output.contains("{\"_collection\":\"notes\","))
        #expect(all.output.contains("{\"id\":2,\"text\":\"Grüße, \\\"x\\\"\"}\n"))
        let csv = try run(["export", "--collection", "notes", "--format", "csv"] + chosen)
        #expect(csv.output == "id,text\n1,first\n2,\"Grüße, \"\"x\"\"\"\n3,\"\"\n")
    }

    @Test("is imported into a new storage, which the program then opens", arguments: storages)
    func imported(_ storage: String) async throws {
        let source = storage == "lmdb" ? "sqlite" : "lmdb"
        try await fill(source)
        _ = try run(["export", "rows.jsonl"] + choosing(source, "store.\(source)"))
        let chosen = choosing(storage, "store.\(storage)")
        #expect(try run(["import", "rows.jsonl"] + chosen).errors == "4 rows imported\n")
        #expect(try run(["import", "rows.jsonl"] + chosen).errors == "4 rows imported\n")
        let exported = try run(["export"] + chosen).output
        #expect(try exported == String(contentsOfFile: "\(folder.path)/rows.jsonl", encoding: .utf8))
        #expect(try run(["verify"] + chosen).errors.contains("no faults in"))
        let gateway = try await gateway(storage, access: .reading)
        #expect(try await gateway.store.read { try $0.list(Note.self, Query(Note.collection)) } == Note.all)
        try await gateway.close()
    }

    @Test("is copied to every other storage with equal digests", arguments: storages)
    func copied(_ from: String) async throws {
        try await fill(from)
        let rows = try run(["export"] + choosing(from, "store.\(from)")).output
        for to in Self.storages {
            let arguments = [
                "copy", "--from", try side(from, "store.\(from)"), "--to", try side(to, "copy.\(to)"),
                "--verify",
                "--format", "csv",
            ]
            let copied = try run(arguments)
            #expect(copied.errors.contains(", digests are equal"))
            let lines = copied.output.split(separator: "\n")
            #expect(lines.map { $0.prefix(8) } == ["collecti", "github_u", "notes,3,"])
            let again = try run(arguments)
            #expect(again.errors.hasPrefix("already copied to \(to) "))
            #expect(again.output == copied.output)
            #expect(try run(["export"] + choosing(to, "copy.\(to)")).output == rows)
        }
    }

    @Test(
        "gets fields and indexes without a new schema version, and keeps them when the command writes",
        arguments: storages)
    func migrated(_ storage: String) async throws {
        try await fill(storage)
        var gateway = try await gateway(storage, [Note.later])
        let dated = Query(Note.later, by: Note.byDay, .equal(.null))
        #expect(try await gateway.store.read { try $0.count(dated) } == 3)
        #expect(gateway.store.schema.version == Schema.gateway.version)
        try await gateway.close()
        let users = ["edit", "users", "ada", "name=Ada"] + choosing(storage, "store.\(storage)")
        #expect(try command.run(users).status == 0)
        gateway = try await self.gateway(storage, [Note.later], access: .reading)
        #expect(try await gateway.store.read { try $0.count(dated) } == 3)
        try await gateway.close()
    }
}

/// A row of the program's own collection.
private struct Note: StoredRecord, Equatable {
    var id: Int64
    var text: String

    static let collection = CollectionSchema(
        "notes", key: 0, indexes: [Index("by_text", .exact(1))],
        fields: [Field("id", .integer), Field("text", .text)])

    /// The collection in a later version of the program.
    static let later = CollectionSchema(
        "notes", key: 0, indexes: [Index("by_text", .exact(1)), byDay],
        fields: [Field("id", .integer), Field("text", .text), Field("day", .integer, isOptional: true)])
    static let byDay = Index("by_day", .exact(2))

    static let all = [Note(1, "first"), Note(2, "Grüße, \"x\""), Note(3, "")]

    init(_ id: Int64, _ text: String) {
        self.id = id
        self.text = text
    }

    init(_ row: borrowing RowView) { self.init(row.integer(0), row.text(1)) }

    func write(to row: inout RowBuilder) {
        row.set(0, id)
        row.set(1, text)
    }
}
