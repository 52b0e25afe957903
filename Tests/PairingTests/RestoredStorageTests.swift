import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("A storage that an older copy of its files replaced", .timeLimit(.minutes(5)))
struct RestoredStorageTests {
    private let folder: StorageFolder
    private let clock = ManualClock()
    private let feed = ScriptedFeed(people: 1...3)

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "live/store"), source: feed.source(), clock: clock.layerClock)
    }

    /// Changes a row in a commit of its own, and returns the position after it.
    private func change(_ login: String, _ gateway: Gateway) async throws -> ChangePosition {
        feed.change("people") { $0[0]["login"] = .text(login) }
        clock.advance(by: .seconds(1))
        _ = try await gateway.sync(gateway.question(gateway.resource("people"))).run()
        return try await gateway.changes().position
    }

    /// File systems give the numbers of removed files to new ones, so the copies may look like the originals.
    @Test(
        "a position in lost commits starts over, also after as many other commits",
        arguments: StorageFolder.durable.filter { $0 != "postgres" })
    func lost(_ plugin: String) async throws {
        let files = FileManager.default,
            (live, copy) = (folder.folder.path + "/live", folder.folder.path + "/copy")
        try files.createDirectory(atPath: live, withIntermediateDirectories: true)
        var gateway = try await gateway(plugin)
        let kept = try await change("kept", gateway)
        try await gateway.close()
        try files.copyItem(atPath: live, toPath: copy)

        gateway = try await self.gateway(plugin)
        let lost = try await change("lost", gateway)
        try await gateway.close()
        for name in try files.contentsOfDirectory(atPath: live) {
            try files.removeItem(atPath: "\(live)/\(name)")
        }
        for name in try files.contentsOfDirectory(atPath: copy) {
            try files.copyItem(atPath: "\(copy)/\(name)", toPath: "\(live)/\(name)")
        }

        gateway = try await self.gateway(plugin)
        #expect(try await gateway.changes(since: lost).restart == .lostChanges)
        for login in ["other", "another", "third"] {
            _ = try await change(login, gateway)
            #expect(try await gateway.changes(since: lost).restart == .lostChanges)
            #expect(try await gateway.changes(since: kept).restart == nil)
        }
        try await gateway.close()
    }
}
