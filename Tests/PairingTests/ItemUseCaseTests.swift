import PatchbayCore
import PatchbayDomain
import PatchbayGateway
@testable import PatchbayTestKit
import TestSupport
import Testing

/// Edits, clears and favourites over every storage, and changes that another process commits.
@Suite("Use cases of rows over every storage", .mayBlock, .timeLimit(.minutes(5)))
struct ItemUseCaseTests {
    private let folder: StorageFolder
    private let feed = ScriptedFeed(people: 1...50)

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store.\(plugin)"), source: feed.source(),
            now: { Timestamp(milliseconds: 1_790_000_000_000) })
    }

    @Test("edits, kept edits and favourites work the same over every storage", arguments: StorageFolder.all)
    func editing(_ plugin: String) async throws {
        let gateway = try await gateway(plugin), people = try gateway.people
        #expect(try await gateway.initialize(gateway.people()) == 20)
        for (id, name) in [(3, "Ö\u{1B}[31m"), (4, "zed"), (5, "É"), (6, "'; DROP TABLE users; --")] {
            #expect(try await gateway.edit(people, "user-\(id)", "name", to: name).hasChanged)
            #expect(try await gateway.addFavourite(people, "user-\(id)").hasChanged)
        }
        let titles = try await gateway.favourites().map(\.title)
        #expect(titles == ["'; DROP TABLE users; --", "zed", "É", "Ö\u{1B}[31m"])
        let revision = try await gateway.store.storage.revision()
        #expect(try await !gateway.edit(people, "user-4", "name", to: "zed").hasChanged)
        #expect(try await gateway.store.storage.revision() == revision)
        #expect(try await gateway.clear(people, keepingEdits: true).keptEdits == 4)
        #expect(try await gateway.initialize(gateway.people()) == 20)
        let rows = try await gateway.stored("people")
        #expect(rows.compactMap { $0.override(of: people.editable[0]) }.count == 4)
        #expect(try await gateway.favourites(among: rows) == [3, 4, 5, 6])
        #expect(try await gateway.favourites(matching: "ö").map(\.handle) == ["user-3"])
        #expect(try await gateway.removeFavourite(people, "user-6").handle == "user-6")
        #expect(try await gateway.revert(people, "user-4").hasChanged)
        try await gateway.close()
    }

    @Test("a watcher receives commits of another process", arguments: StoragePlaces.shared)
    func watching(_ plugin: String) async throws {
        let command = Command(in: folder.folder.path)
        let gateway = try await folder.offlineGateway(plugin)
        var changes = gateway.watch(try gateway.resource("users")).makeAsyncIterator()
        #expect(try await changes.next()?.isEmpty == true)
        for id in 1...3 as ClosedRange<Int64> {
            let store = folder.places.selftest(plugin, in: folder.folder.path)
            let written = try await WorkThread("test").run { _ in
                try command.run(["selftest", "write"] + store + ["--start", "\(id)", "--count", "1"])
            }
            #expect(written.status == 0, "\(written.errors)")
            let set = try await changes.next()
            #expect(set?.map(\.item.id) == [id])
            if case .inserted = set?.first {} else { Issue.record("\(set ?? [])") }
        }
        let edited = try await WorkThread("test").run { [folder] _ in
            try command.run(
                ["edit", "users", "selftest-2", "name=Mine"]
                    + folder.places.flags(plugin, at: "\(folder.folder.path)/store.\(plugin)"))
        }
        #expect(edited.status == 0, "\(edited.errors)")
        let set = try await changes.next()
        #expect(set?.map(\.item.shownName) == ["Mine"])
        try await gateway.close()
    }
}
