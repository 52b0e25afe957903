import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayGateway
import PatchbayTestKit
import TestSupport
import Testing

/// Syncs of recorded real lists.
@Suite(
    "Syncs over recordings of real exchanges",
    .enabled(if: Checkout.sharedRecordings != nil, "needs the shared recordings; set PATCHBAY_SHARED"))
struct RecordedSyncTests {
    private static let storages = StoragePlaces.all
    private let places = StoragePlaces()

    private func gateway(_ storage: String, _ recording: String, in folder: String) async throws -> Gateway {
        let folderOfRecordings = try #require(Checkout.sharedRecordings)
        var flags = [GatewayConfiguration.Flag]()
        flags.append(.init("storage", storage, name: "test"))
        flags += places.options(storage, at: "\(folder)/store").map { .init($0.key, $0.value, name: "test") }
        flags.append(.init("source.path", "\(folderOfRecordings)/\(recording).har", name: "test"))
        return try await Gateway(
            configuration: try GatewayConfiguration(flags: flags, environment: ["HOME": folder]))
    }

    @Test(
        "169 repositories on six pages of two paths, then six times \"unchanged\"",
        arguments: storages)
    func repositories(_ storage: String) async throws {
        let folder = try TemporaryDirectory()
        let gateway = try await gateway(storage, "user_repos_bitwiseman_2019", in: folder.path)
        let sync = gateway.sync(
            try gateway.question(gateway.resource("repos"), arguments: ["bitwiseman"]))
        let (end, progress) = await sync.run()
        guard case .complete = end else {
            Issue.record("\(end)")
            return
        }
        #expect(progress.requests == 6 && progress.rows == 169 && progress.pageCount == 6)
        #expect(try await sync.plan().requestsMax == 6)
        let (_, second) = await sync.run()
        #expect(second.unchanged == 6 && second.rows == 169)
        try await gateway.close()
    }

    @Test("a sync of commits stops at the end of the recording, and the next one requests that page again")
    func commits() async throws {
        let folder = try TemporaryDirectory()
        let gateway = try await gateway("sqlite", "commits_pygithub_2012", in: folder.path)
        let commits = try gateway.question(
            gateway.resource("commits"), arguments: ["PyGithub/PyGithub"])
        let (end, progress) = await gateway.sync(commits).run()
        guard case .failed(let error) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(error.code == .unsupported)
        #expect(progress.requests == 5 && progress.rows == 91)
        let (_, second) = await gateway.sync(commits).run()
        #expect(second.requests == 2, "the last stored page, and the one that is not recorded")
        try await gateway.close()
    }

    @Test("a repository that has moved is one row under its new name")
    func moved() async throws {
        let folder = try TemporaryDirectory()
        let gateway = try await gateway("lmdb", "errors_and_redirects", in: folder.path)
        let repos = try gateway.resource("repos")
        let moved = try #require(await gateway.show(repos, "sigmavirus24/charade").ending.value)
        #expect(moved.id == 6_895_566 && moved.handle != "sigmavirus24/charade")
        let known = await gateway.show(repos, moved.handle, policy: .localOnly).ending
        #expect(known.value?.id == moved.id)
        try await gateway.close()
    }
}
