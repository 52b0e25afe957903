import Foundation
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
@testable import PatchbayTestKit
import TestSupport
import Testing

/// Commits of another process, received by an observer in this one.
@Suite("Observation across processes", .mayBlock, .timeLimit(.minutes(5))) struct ObservationTests {
    @Test("an observer is notified of a commit by another process", arguments: StoragePlaces.shared)
    func otherProcess(_ plugin: String) async throws {
        let folder = try StorageFolder()
        let command = Command(in: folder.folder.path)
        let gateway = try await folder.offlineGateway(plugin)
        var notices = gateway.store.changes.stream().makeAsyncIterator()
        _ = await notices.next()
        for number in 1...3 as ClosedRange<Int64> {
            let written = try await WorkThread("test").run { _ in
                try command.run(
                    ["selftest", "write"] + folder.places.selftest(plugin, in: folder.folder.path)
                        + ["--start", "\(number)", "--count", "1"])
            }
            #expect(written.status == 0, "\(written.errors)")
            #expect(await notices.next()?.contains("github_users") == true)
            #expect(try await gateway.stored("users").map(\.id) == Array(1...number))
        }
        try await gateway.close()
    }

    @Test("an observer is notified of a commit through a second store over the same file")
    func otherStore() async throws {
        let folder = try StorageFolder()
        let first = try await folder.store("sqlite", "shared"),
            second = try await folder.store("sqlite", "shared")
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

    @Test("an observer is notified of a write by the sqlite3 shell", .needs("sqlite3"))
    func shell() async throws {
        let folder = try StorageFolder()
        let store = try await folder.store("sqlite", "shared")
        var notices = store.changes.stream().makeAsyncIterator()
        _ = await notices.next()
        let shell = Command(in: folder.folder.path, program: "/usr/bin/sqlite3")
        let written = try await shell.finished(
            "shared", "INSERT INTO pages(address, visits) VALUES('raw', 7)")
        #expect(written.status == 0, "\(written.errors)")
        #expect(await notices.next()?.contains("pages") == true)
        #expect(try await store.storage.values("raw", in: Sample.pages) == Sample.page("raw", visits: 7))
        try await store.close()
    }
}
