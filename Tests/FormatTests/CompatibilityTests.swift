import Foundation
import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import StorageFlatFile
import StorageLMDB
import StorageSQLite
import TestSupport
import Testing

/// Files that released versions wrote stay in `Fixtures`, in a folder named after the version, and can be read by every
/// later one. `make fixtures` writes those of the current version; never replace those of a released one.
@Suite("Files of earlier versions")
struct CompatibilityTests {
    private static let fixtures = Checkout.path("Tests/FormatTests/Fixtures")
    private static let versions = (try? FileManager.default.contentsOfDirectory(atPath: fixtures)) ?? []
    private static let storages = StoragePlaces.files
    private static let body = #"{"login":"ada","bio":"naïve \u0001 \ud83d\udc69 \"quoted\""}"#

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test("there is a folder for this version")
    func current() { #expect(Self.versions.contains(PatchbayVersion.current)) }

    @Test("are read without a change of a byte", arguments: versions, storages)
    func read(_ version: String, _ name: String) async throws {
        let path = try copy("store.\(name)", of: version), before = try contents(path)
        let storage = try open(name, path)
        _ = try await storage.open(StorageOpening(FixtureRows.schema, .reading))
        let lines = try await FixtureRows.lines(storage)
        #expect(try lines == expected(version))
        #expect(try await storage.verifyFiles { _ in } == [])
        for (index, collection) in [FixtureRows.people, FixtureRows.notes].flatMap({ collection in
            collection.indexes.map { ($0, collection) }
        }) {
            let count = try await storage.read { try $0.count(Query(collection, by: index)) }
            #expect(count == lines.count { $0.hasPrefix(collection.name) }, "\(index.name)")
        }
        try await storage.close()
        #expect(try contents(path) == before)
    }

    @Test("are upgraded and written, and keep all their rows", arguments: versions, storages)
    func upgrade(_ version: String, _ name: String) async throws {
        let path = try copy("store.\(name)", of: version)
        let people = CollectionSchema(
            "people", key: 0, indexes: FixtureRows.people.indexes + [Index("by_city", .exact(5))],
            fields: FixtureRows.people.fields + [Field("city", .text, isOptional: true)])
        let places = CollectionSchema("places", key: 0, fields: [Field("id", .integer)])
        let schema = Schema(version: 2, [people, FixtureRows.notes, places])
        var storage = try open(name, path)
        try await storage.open(schema)
        try await storage.write { writer in
            var builder = RowBuilder()
            builder.begin(people)
            builder.set(0, 9_000 as Int64)
            builder.set(1, "new")
            builder.set(3, 1.5)
            builder.set(5, "Łódź")
            try writer.put(builder.finish(), in: people)
        }
        try await storage.close()
        storage = try open(name, path)
        try await storage.open(schema)
        var wanted = try expected(version)
        let place = try #require(wanted.firstIndex { $0.hasPrefix("people: 9223372036854775807 ") })
        wanted.insert("people: 9000 | \"new\" | null | 1.5 | null", at: place)
        #expect(try await FixtureRows.lines(storage, people: people) == wanted)
        let city = Query(people, by: people.index(named: "by_city"), .equal("Łódź"))
        #expect(try await storage.read { try $0.count(city) } == 1)
        #expect(try await storage.verifyFiles { _ in } == [])
        try await storage.close()
    }

    @Test("a recording is replayed", arguments: versions)
    func recording(_ version: String) async throws {
        let recording = try Recording.open("\(Self.fixtures)/\(version)/recording.har")
        let answer = try await recording.send(Self.request, body: [])
        #expect(answer.head.status == .ok && answer.head.headerFields[.eTag] == "\"é-1\"")
        #expect(String(decoding: answer.body, as: UTF8.self) == Self.body)
        #expect(recording.entryCount == 1)
    }

    @Test(
        "are written for this version",
        .enabled(
            if: ProcessInfo.processInfo.environment["PATCHBAY_FIXTURES"] != nil,
            "make fixtures writes the files again"))
    func write() async throws {
        let target = "\(Self.fixtures)/\(PatchbayVersion.current)"
        for name in Self.storages {
            let path = "\(folder.path)/store.\(name)", storage = try open(name, path)
            try await FixtureRows.fill(storage)
            try await storage.open(FixtureRows.schema)
            let lines = try await FixtureRows.lines(storage)
            try await storage.close()
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(
                to: URL(fileURLWithPath: "\(folder.path)/rows.txt"))
        }
        // LMDB makes its lock file again.
        try FileManager.default.removeItem(atPath: "\(folder.path)/store.lmdb/lock.mdb")
        let recorder = try Recorder(
            path: "\(folder.path)/recording.har", isAdding: false, clock: ManualClock(jumps: true).layerClock)
        let network = ScriptedNetworking(
            200, [("Content-Type", "application/json"), ("ETag", "\"é-1\"")], Self.body)
        _ = try await network.layered(recorder).send(Self.request, body: [])
        await recorder.close()
        if FileManager.default.fileExists(atPath: target) {
            try FileManager.default.removeItem(atPath: target)
        }
        try FileManager.default.copyItem(atPath: folder.path, toPath: target)
    }

    private static let request = HTTPRequest(
        method: .get, scheme: "https", authority: "api.github.com", path: "/users/ada?page=2",
        headerFields: [.authorization: "Bearer github_pat_secret"])

    private func open(_ name: String, _ path: String) throws -> any Storage {
        switch name {
        case "sqlite": SQLiteStorage(path: path)
        case "lmdb": LMDBStorage(path: path)
        default: FlatFileStorage(path: path)
        }
    }

    private func copy(_ name: String, of version: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.copyItem(atPath: "\(Self.fixtures)/\(version)/\(name)", toPath: path)
        return path
    }

    private func expected(_ version: String) throws -> [String] {
        let text = try String(contentsOfFile: "\(Self.fixtures)/\(version)/rows.txt", encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    /// The bytes of a file, or of each file in a folder, by name.
    private func contents(_ path: String) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let files = names.map { "\(folder.path)/\($0)" }.filter { $0.hasPrefix(path) }
        return Dictionary(
            uniqueKeysWithValues: files.map { ($0, FileManager.default.contents(atPath: $0) ?? Data()) })
    }
}
