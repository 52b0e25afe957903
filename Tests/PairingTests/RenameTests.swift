import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

/// Finding rows by their former handles over every storage.
@Suite("Renamed rows over every storage", .timeLimit(.minutes(5)))
struct RenameTests {
    private let folder: StorageFolder
    private let clock = ManualClock()
    private let feed = ScriptedFeed(
        people: 1...5, projects: 1...5,
        changes: ScriptedFeed.changes(3, of: 2) + ScriptedFeed.changes(1, of: 4))
    private let redirects: RedirectingFeed
    private let old = "octocat/p-2"
    private let new = "Mona/new"

    init() throws {
        folder = try StorageFolder()
        redirects = RedirectingFeed(feed)
    }

    /// A gateway of another run of the program; the memory storage starts empty.
    private func gateway(_ plugin: String) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store"), source: feed.source(querying: redirects),
            clock: clock.layerClock)
    }

    private func rename(_ id: Int64, to name: String) {
        feed.change("projects") { all in
            guard let place = all.firstIndex(where: { $0.id == id }) else { return }
            redirects.redirect(all[place]["full_name"]?.description ?? "", to: name)
            redirects.redirect(name, to: nil)
            all[place]["full_name"] = .text(name)
        }
    }

    private func changes(
        _ gateway: Gateway, of name: String, _ policy: Policy = .localFirst
    ) async throws -> Int? {
        try await gateway.list(gateway.changes(of: name), policy: policy).ending.value?.items.count
    }

    private func project(
        _ gateway: Gateway, _ name: String, _ policy: Policy = .localFirst
    ) async throws -> Item? {
        try await gateway.showProject(name, policy: policy).ending.value
    }

    private func person(
        _ gateway: Gateway, _ login: String, _ policy: Policy = .localFirst
    ) async throws -> Item? {
        try await gateway.showPerson(login, policy: policy).ending.value
    }

    @Test(
        "the list of a renamed row is found under both handles", arguments: StorageFolder.all)
    func lists(_ plugin: String) async throws {
        rename(2, to: new)
        let gateway = try await gateway(plugin)
        #expect(try await changes(gateway, of: old) == 3)
        #expect(try await changes(gateway, of: new, .localOnly) == 3)
        #expect(try await changes(gateway, of: "OctoCat/P-2", .localOnly) == 3)
        guard case (.complete, let progress) = await gateway.sync(try gateway.changes(of: old)).run() else {
            Issue.record("the sync did not end")
            return
        }
        #expect(progress.requests == 2 && progress.unchanged == 1)
        try await gateway.close()
    }

    @Test(
        "a row stored before its rename is found by both handles",
        arguments: StorageFolder.all)
    func storedBefore(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(try await changes(gateway, of: old) == 3)
        rename(2, to: new)
        #expect(try await changes(gateway, of: old) == 3)
        #expect(try await project(gateway, old)?.handle == new)
        for name in [old, new] {
            #expect(try await changes(gateway, of: name) == 3)
            #expect(try await project(gateway, name, .localOnly)?.id == 2)
        }
        try await gateway.close()
    }

    @Test("former handles survive a restart", arguments: StorageFolder.durable)
    func restart(_ plugin: String) async throws {
        rename(2, to: new)
        redirects.redirect("user-3", to: "user-4")
        let first = try await gateway(plugin)
        #expect(try await project(first, old)?.id == 2)
        #expect(try await person(first, "User-3")?.id == 4)
        try await first.close()
        let second = try await gateway(plugin)
        #expect(try await project(second, old, .localOnly)?.id == 2)
        #expect(try await person(second, "user-3", .localOnly)?.handle == "user-4")
        guard case .unchanged = try await second.showPerson("user-3").ending.outcome else {
            Issue.record("a former login was not confirmed")
            return
        }
        try await second.clear(second.people)
        #expect(try await person(second, "user-3", .localOnly) == nil)
        #expect(try await project(second, old, .localOnly)?.id == 2)
        try await second.close()
    }

    @Test(
        "a row can be renamed back, and another row can take its former handle", arguments: StorageFolder.all)
    func back(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        func id(_ name: String, _ policy: Policy = .localOnly) async throws -> Int64? {
            try await project(gateway, name, policy)?.id
        }
        rename(2, to: new)
        #expect(try await id(old, .localFirst) == 2)
        rename(2, to: old)
        #expect(try await id(new, .localFirst) == 2)
        for name in [old, new] { #expect(try await id(name) == 2) }
        rename(2, to: new)
        #expect(try await id(old, .localFirst) == 2)
        rename(4, to: old)
        #expect(try await id(old, .localFirst) == 4)
        #expect(try await id(old) == 4)
        #expect(try await id(new) == 2)
        #expect(try await gateway.stored("projects").allSatisfy { $0.state.goneAt == nil })
        #expect(try await changes(gateway, of: old) == 1)
        #expect(try await changes(gateway, of: new) == 3)
        try await gateway.close()
    }

    @Test(
        "a former handle that no longer redirects does not mark the row as refused",
        arguments: StorageFolder.all)
    func lost(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        rename(2, to: new)
        _ = try await project(gateway, old)
        redirects.redirect(old, to: nil)
        let item = try await project(gateway, old)
        #expect(item?.id == 2 && item?.state.refusal == nil)
        try await gateway.close()
    }
}

/// A feed that redirects former handles to the current ones, as GitHub does.
private final class RedirectingFeed: FeedWrapper {
    let inner: any ResourceFeed
    private let names = Mutex<[String: String]>([:])

    init(_ feed: ScriptedFeed) { inner = feed }

    /// Redirects a handle to another; nil removes the redirect.
    func redirect(_ name: String, to other: String?) { names.withLock { $0[name.lowercased()] = other } }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        let present = names.withLock { $0[handle.lowercased()] } ?? handle
        return try await inner.item(present, of: resource, ifChangedFrom: validator)
    }
}
