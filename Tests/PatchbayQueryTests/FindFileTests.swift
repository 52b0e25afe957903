import Foundation
import Patchbay
import PatchbaySystem
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("The file of a text index", .mayBlock, .searchesWait, .timeLimit(.minutes(10)))
struct FindFileTests {
    private func fixture() async throws -> (fixture: FindFixture, index: TextIndex) {
        let fixture = try await FindFixture("sqlite")
        try await fixture.put((1...200).map { TextRow(id: $0, title: "ferry \($0)", body: "text of \($0)") })
        let index = try await TextIndex([fixture.gateway])
        #expect(try await index.find("ferry 7").count == 1)
        return (fixture, index)
    }

    @Test("is made again when it was removed, also while it is open")
    func removed() async throws {
        let (fixture, index) = try await fixture()
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(try await index.find("ferry 7").count == 1)
        #expect(FileStatus(at: fixture.path) != nil)
        try await fixture.put(TextRow(id: 7, title: "ship"))
        #expect(try await index.find("ferry 7").rows.isEmpty)
        #expect(try await index.find("ship").count == 1)
        try await fixture.gateway.close()
    }

    @Test("has the permissions of the storage")
    func permissions() async throws {
        let fixture = try await FindFixture("sqlite")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: "\(fixture.folder.path)/store")
        try await fixture.put(TextRow(id: 1, title: "ferry"))
        _ = try await fixture.gateway.find("ferry")
        #expect(FileStatus(at: fixture.path)?.mode == 0o640)
        try await fixture.gateway.close()
    }

    @Test("is replaced when pages of it are damaged", arguments: [1, 2, 5, 9])
    func damaged(_ page: Int) async throws {
        let (fixture, _) = try await fixture()
        var bytes = try Data(contentsOf: URL(filePath: fixture.path))
        let start = page * 4_096 + 50
        bytes.replaceSubrange(start..<start + 4_000, with: [UInt8](repeating: 0xA5, count: 4_000))
        try bytes.write(to: URL(filePath: fixture.path))
        let index = try await TextIndex([fixture.gateway])
        for number in [7, 70, 199] { #expect(try await index.find("ferry \(number)").count == 1) }
        #expect(try await index.find("ferry").count == 200)
        #expect(try await index.verify { _ in }.isEmpty)
        try await fixture.gateway.close()
    }

    @Test("is replaced when its end is missing")
    func shortened() async throws {
        let (fixture, _) = try await fixture()
        let bytes = try Data(contentsOf: URL(filePath: fixture.path))
        try bytes.prefix(bytes.count / 2 / 4_096 * 4_096).write(to: URL(filePath: fixture.path))
        #expect(try await fixture.gateway.find("ferry 7").count == 1)
        #expect(try await TextIndex([fixture.gateway]).verify { _ in }.isEmpty)
        try await fixture.gateway.close()
    }

    @Test("that lacks a text is replaced, and a statement states it")
    func lacking() async throws {
        let (fixture, index) = try await fixture()
        let file = try TextFile(path: fixture.path, patience: .seconds(1))
        try file.run("DELETE FROM words_rows WHERE key = '7'")
        let tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        let rows = try await tables.query("SELECT count(*) FROM find('ferry')")
        for try await row in rows { #expect(row[0] == 199) }
        #expect(rows.ending?.missingTexts == TextMismatch.reason)
        #expect(try await index.find("ferry 7").rows.map(\.item.title) == ["ferry 7"])
        #expect(try await index.verify { _ in }.isEmpty)
        try await fixture.gateway.close()
    }

    @Test("with other texts than the rows is replaced when it is noticed")
    func different() async throws {
        let (fixture, index) = try await fixture()
        let file = try TextFile(path: fixture.path, patience: .seconds(1))
        try file.run("UPDATE words_rows SET title = 'ship' || char(10) WHERE key = '7'")
        // The text is not that of the row, and its words are not those of the text.
        #expect(try await index.verify { _ in }.count == 2)
        #expect(try await index.find("ferry 7").rows.map(\.item.title) == ["ferry 7"])
        #expect(try await index.verify { _ in }.isEmpty)
        try await fixture.gateway.close()
    }

    @Test("of another program, or with a damaged beginning, is left alone, and a sentence says so")
    func foreign() async throws {
        let fixture = try await FindFixture("sqlite")
        for bytes in [Array("not an index".utf8), [UInt8](repeating: 0xA5, count: 8_192)] {
            try Data(bytes).write(to: URL(filePath: fixture.path))
            await #expect {
                try await fixture.gateway.find("ferry")
            } throws: { error in
                (error as? PatchbayError)?.code == .conflict
                    && "\(error)".contains("is not a text index of Patchbay")
            }
            #expect(FileStatus(at: fixture.path)?.bytes == bytes.count)
        }
        try await fixture.gateway.close()
    }

    @Test("that is empty, unfinished or of an older version is made again; that of a newer one is refused")
    func versions() async throws {
        let (fixture, _) = try await fixture()
        try TextFile(path: fixture.path, patience: .seconds(1)).run("PRAGMA user_version = 0")
        #expect(try await fixture.gateway.find("ferry 7").count == 1)
        #expect(try TextFile(path: fixture.path, patience: .seconds(1)).content() == .index)
        try TextFile(path: fixture.path, patience: .seconds(1)).run("PRAGMA user_version = 99")
        let other = try await TextIndex([fixture.gateway])
        await #expect { try await other.find("ferry") } throws: {
            ($0 as? PatchbayError)?.code == .unsupported && "\($0)".contains("newer version of Patchbay")
        }
        try Data().write(to: URL(filePath: fixture.path))
        #expect(try await other.find("ferry 7").count == 1)
        try await fixture.gateway.close()
    }

    @Test("that cannot be updated is used, and the answer says what it lacks")
    func locked() async throws {
        let (fixture, _) = try await fixture()
        let index = try await TextIndex([fixture.gateway], patience: .zero)
        let lock = try TextFile(path: fixture.path, patience: .seconds(1))
        try lock.run("BEGIN IMMEDIATE")
        let before = try await index.find("ferry 7")
        #expect(!before.isOutdated && before.count == 1)
        try await fixture.put([TextRow(id: 7, title: "ship"), TextRow(id: 8, title: "ship")])
        let found = try await index.find("ferry", limit: 1_000)
        #expect(found.isOutdated && found.reason?.contains("is in use by another process") == true)
        // Rows that have changed are not shown with texts that they no longer have.
        #expect(found.rows.count == 198)
        lock.rollBack()
        let later = try await index.find("ferry", limit: 1_000)
        #expect(!later.isOutdated && later.rows.count == 198)
        try await fixture.gateway.close()
    }

    @Test("has texts of the fields that the definition names now")
    func fields() async throws {
        let (fixture, _) = try await fixture()
        try await fixture.gateway.close()
        let other = try await FindFixture(reopening: fixture, find: ["title"])
        let index = try await TextIndex([other.gateway])
        #expect(try await index.find("text").rows.isEmpty)
        #expect(try await index.find("ferry").count == 200)
        #expect(try await index.verify { _ in }.isEmpty)
        try await other.gateway.close()
        let again = try await FindFixture(reopening: fixture)
        #expect(try await TextIndex([again.gateway]).find("text").count == 200)
        try await again.gateway.close()
    }

    @Test("is not part of a backup or a copy, and does not fit a storage that was restored")
    func restored() async throws {
        let (fixture, index) = try await fixture()
        let backup = "\(fixture.folder.path)/backup"
        try await fixture.gateway.store.storage.backup(to: backup) { _ in }
        #expect(FileStatus(at: backup + ".find") == nil)
        try await fixture.put(TextRow(id: 7, title: "lost"))
        #expect(try await index.find("lost").count == 1)
        try await fixture.gateway.close()
        for end in ["", "-wal", "-shm"] {
            // Closing may have removed the log.
            try? FileManager.default.removeItem(atPath: "\(fixture.folder.path)/store\(end)")
        }
        try FileManager.default.moveItem(atPath: backup, toPath: "\(fixture.folder.path)/store")
        let restored = try await FindFixture(reopening: fixture)
        #expect(try await restored.gateway.find("lost").rows.isEmpty)
        #expect(try await restored.gateway.find("ferry 7").count == 1)
        try await restored.put(TextRow(id: 9, title: "other"))
        let other = try await TextIndex([restored.gateway])
        #expect(try await other.find("other").count == 1)
        #expect(try await other.verify { _ in }.isEmpty)
        try await restored.gateway.close()
    }

    @Test("that is replaced or removed while it is opened is opened whole, or is not there")
    func replacedMeanwhile() async throws {
        let (fixture, _) = try await fixture()
        let other = "\(fixture.folder.path)/other", aside = "\(fixture.folder.path)/aside"
        try FileManager.default.copyItem(atPath: fixture.path, toPath: other)
        let openedCount = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Two files take turns at the path, which sometimes has none.
                while !Task.isCancelled {
                    unsafe rename(fixture.path, aside)
                    unsafe rename(other, fixture.path)
                    unsafe rename(aside, other)
                }
            }
            defer { group.cancelAll() }
            return try (0..<20_000).count { _ in
                do {
                    let file = try TextFile.existing(at: fixture.path, patience: .seconds(1))
                    #expect(file?.onlyReads != true)
                    return file != nil
                } catch let failure as TextFailure where failure.isMoved {
                    return false
                }
            }
        }
        #expect(openedCount > 0)
        try await fixture.gateway.close()
    }

    @Test("keeps its journal when a transaction on the file that it replaced ends")
    func replacedJournal() async throws {
        let (fixture, index) = try await fixture()
        let journal = fixture.path + "-journal"
        let old = try #require(try TextFile.existing(at: fixture.path, patience: .seconds(1)))
        try old.prepare()
        try write(old)
        try FileManager.default.removeItem(atPath: fixture.path)
        try await index.update()
        #expect(FileStatus(at: journal) == nil)
        let new = try #require(try TextFile.existing(at: fixture.path, patience: .seconds(1)))
        try new.prepare()
        try write(new)
        let identity = try #require(FileStatus(at: journal)?.identity)
        try old.run("COMMIT")
        #expect(FileStatus(at: journal)?.identity == identity)
        new.rollBack()
        #expect(try await index.find("ferry 7").count == 1)
        try await fixture.gateway.close()
    }

    private func write(_ file: TextFile) throws {
        try file.run("BEGIN IMMEDIATE")
        try file.run("UPDATE resources SET signature = 'other'")
    }

    @Test("is used by several processes and tasks at once, while rows change")
    func shared() async throws {
        let (fixture, _) = try await fixture()
        let indexes = [try await TextIndex([fixture.gateway]), try await TextIndex([fixture.gateway])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...100 {
                    try await fixture.put(TextRow(id: Int64(number), title: "ship \(number)"))
                    if number % 30 == 0 { try? FileManager.default.removeItem(atPath: fixture.path) }
                }
            }
            for index in indexes + indexes {
                group.addTask {
                    for _ in 0..<40 {
                        let found = try await index.find("ferry", limit: 1_000)
                        #expect(found.rows.allSatisfy { $0.item.title.hasPrefix("ferry") })
                        #expect(found.isOutdated || (100...200).contains(found.rows.count))
                    }
                }
            }
            try await group.waitForAll()
        }
        for index in indexes {
            #expect(try await index.find("ship", limit: 1_000).rows.count == 100)
            #expect(try await index.verify { _ in }.isEmpty)
        }
        try await fixture.gateway.close()
    }
}
