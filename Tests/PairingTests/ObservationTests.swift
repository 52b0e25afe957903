import Foundation
import PatchbayCore
@testable import PatchbayTestKit
import Testing

/// What another process commits, seen by an observer of this one.
@Suite("Observation across processes", .timeLimit(.minutes(1))) struct ObservationTests {
    private static let shared = ["sqlite", "lmdb"]

    @Test("a commit through another store is told", arguments: ["sqlite"])
    func otherStore(_ plugin: String) async throws {
        let folder = try StorageFolder()
        let first = try await folder.store(plugin, "shared"),
            second = try await folder.store(plugin, "shared")
        var notices = first.changes.stream().makeAsyncIterator()
        _ = await notices.next()
        for number in 0..<3 as Range<Int64> {
            try await second.storage.put([Sample.page("p", visits: number)], in: Sample.pages)
            #expect(await notices.next()?.contains("pages") == true)
            #expect(try await first.storage.values("p", in: Sample.pages)?[2] == .integer(number))
        }
        try await first.close()
        try await second.close()
    }

    @Test("a write of the sqlite3 shell is told")
    func shell() async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else {
            return print("skipped: there is no /usr/bin/sqlite3")
        }
        let folder = try StorageFolder()
        let store = try await folder.store("sqlite", "shared")
        var notices = store.changes.stream().makeAsyncIterator()
        _ = await notices.next()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        shell.arguments = [
            folder.folder.path + "/shared", "INSERT INTO pages(address, visits) VALUES('raw', 7)",
        ]
        try shell.run()
        #expect(await notices.next()?.contains("pages") == true)
        #expect(try await store.storage.values("raw", in: Sample.pages) == Sample.page("raw", visits: 7))
        try await store.close()
    }
}
