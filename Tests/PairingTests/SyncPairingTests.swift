import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayGateway
import PatchbayTestKit
import TestSupport
import Testing

/// A sync that is stopped after every step and continues after the storage was closed and opened again.
@Suite("Syncs over every storage")
struct SyncPairingTests {
    private static let storages = StoragePlaces.durable
    private let places = StoragePlaces()

    private func gateway(_ storage: String, _ source: Source, in folder: String) async throws -> Gateway {
        let configuration = try GatewayConfiguration(
            flags: [.init("storage", storage, name: "test")]
                + places.options(storage, at: "\(folder)/store.\(storage)").map {
                    .init($0.key, $0.value, name: "test")
                },
            environment: ["HOME": folder])
        let time = Timestamp(milliseconds: 1_790_000_000_000)
        return try await Gateway(
            storage: try await configuration.openStorage(), source: source, now: { time })
    }

    /// Runs one step of a sync, with the storage open only for this step. Returns false at the end.
    private func step(
        _ storage: String, _ source: Source, in folder: String, _ sync: (Gateway) throws -> Sync
    ) async throws -> Bool {
        let gateway = try await gateway(storage, source, in: folder)
        var events = try sync(gateway).makeAsyncIterator()
        var event = await events.next()
        while case .skipped = event { event = await events.next() }
        try await gateway.close()
        guard case .ended(let end, _) = event else { return true }
        guard case .complete = end else { throw PatchbayError(.internalError, "the sync ended: \(end)") }
        return false
    }

    @Test(
        "a sync continues where it stopped after each step, and checks only the last page again",
        arguments: storages)
    func steps(_ storage: String) async throws {
        let folder = try TemporaryDirectory()
        let feed = ScriptedFeed(
            people: 1...95, projects: 1...45, changes: ScriptedFeed.changes(33, of: 7), pageSize: 20)
        let source = feed.source()
        for maximum in 1...5 {
            #expect(
                try await step(storage, source, in: folder.path) { try $0.sync($0.people()) },
                "page \(maximum)")
        }
        for _ in 1...3 {
            #expect(try await step(storage, source, in: folder.path) { try $0.sync($0.octocatsProjects()) })
        }
        for _ in 1...2 {
            #expect(
                try await step(storage, source, in: folder.path) {
                    try $0.sync($0.changes(of: "octocat/p-7"))
                })
        }
        #expect(feed.requests.count { $0.hasPrefix("people") } == 5)
        #expect(feed.requests.count { !$0.hasPrefix("people") && !$0.hasSuffix("if changed") } == 5)
        #expect(feed.requests.count { $0.hasSuffix("if changed") } == 3)
        let gateway = try await gateway(storage, source, in: folder.path)
        let counts = [
            try await gateway.count("people"), try await gateway.count("projects"),
            try await gateway.count("changes"),
        ]
        #expect(counts == [95, 45, 33])
        let (_, progress) = await gateway.sync(try gateway.people(), details: true, concurrency: 8).run()
        #expect(progress.requests == 5 + 95 && progress.unchanged == 5)
        try await gateway.close()
    }
}
