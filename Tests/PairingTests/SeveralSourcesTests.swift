import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Several sources over one storage", .timeLimit(.minutes(5)))
struct SeveralSourcesTests {
    private let folder: StorageFolder
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func source(_ word: String, _ feed: ScriptedFeed, server: String? = nil) -> Source {
        var source = feed.source(named: word)
        (source.word, source.server) = (word, server)
        return source
    }

    private func gateways(_ plugin: String, _ sources: [Source]) async throws -> Gateways {
        try await Gateways(
            storage: folder.storage(plugin, "store"), sources: sources, schema: .gateway,
            clock: clock.layerClock)
    }

    @Test(
        "two servers of one API with different words share no rows, even if ids are the same",
        arguments: StorageFolder.all)
    func servers(_ plugin: String) async throws {
        let hub = ScriptedFeed(people: 1...30, projects: 1...3)
        let work = ScriptedFeed(people: 1...20, projects: 2...9)
        work.change("people") { people in
            for place in people.indices { people[place]["name"] = .text("at work") }
        }
        let gateways = try await gateways(
            plugin, [source("github", hub), source("github_work", work, server: "ghe.example.org")])
        for gateway in gateways.all {
            let (end, _) = await gateway.syncAll().run()
            guard case .complete = end else { throw PatchbayError(.internalError, "\(end)") }
        }
        let first = gateways.all[0], second = gateways.all[1]
        #expect(try await first.count("people") == 30)
        #expect(try await second.count("people") == 20)
        let (_, people) = try gateways.resource("github_work.people")
        try await second.edit(people, "user-3", "name", to: "Edited")
        _ = try await second.addFavourite(people, "user-3")
        #expect(try await first.favourites(first.resource("people")).isEmpty)
        #expect(
            try await first.showPerson("user-3", policy: .localOnly).ending.value?.shownName != "Edited")
        // Clearing one does not change the other, and frees its word for another server.
        try await first.clear(first.resource("people"))
        try await first.clear(first.resource("projects"))
        #expect(try await second.count("people") == 20)
        let claims = try await gateways.store.read {
            try $0.list(StoredAPI.self, Query(StoredAPI.collection))
        }
        #expect(claims == [StoredAPI("github_work", server: "ghe.example.org")])
        try await gateways.close()
    }

    @Test("a noun needs its source only when it is ambiguous", arguments: ["memory", "sqlite"])
    func nouns(_ plugin: String) async throws {
        var second = source("two", ScriptedFeed(people: 1...3))
        second.resources = second.resources.filter { $0.name == "people" }
        let gateways = try await gateways(plugin, [source("one", ScriptedFeed(people: 1...3)), second])
        #expect(try gateways.resource("two.people").gateway.word == "two")
        #expect(try gateways.resource("one.person").resource.collection.name == "one_people")
        #expect(try gateways.resource("projects").gateway.word == "one")
        let ambiguous = #expect(throws: PatchbayError.self) { try gateways.resource("people") }
        #expect(
            ambiguous?.message == "several sources provide \"people\"; name one of one.people, two.people")
        let unknown = #expect(throws: PatchbayError.self) { try gateways.resource("two.projects") }
        #expect(unknown?.code == .unsupported && unknown?.message.contains("no source provides") == true)
        try await gateways.close()
    }

    @Test("sources with collections of the same name are refused before the storage is opened")
    func clash() async throws {
        for words in [("one", "one"), ("favourite", "two")] {
            var first = source(words.0, ScriptedFeed(people: 1...3))
            if words.0 == "favourite" {
                first.resources = first.resources.map { resource in
                    var renamed = resource
                    if resource.name == "people" { renamed.name = "items" }
                    return renamed
                }
            }
            let sources = [first, source(words.1, ScriptedFeed())]
            let error = await #expect(throws: PatchbayError.self) {
                try await gateways("sqlite", sources)
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("two collections would have the name") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.folder.path + "/store"))
    }

    @Test(
        "closing one gateway closes only its source; closing all closes the storage",
        arguments: StorageFolder.durable)
    func closing(_ plugin: String) async throws {
        let gateways = try await gateways(
            plugin, [source("one", ScriptedFeed(people: 1...3)), source("two", ScriptedFeed(people: 1...3))])
        try await gateways.all[0].close()
        _ = try await gateways.all[1].listPeople().ending
        try await gateways.close()
        let again = try await self.gateways(plugin, [source("two", ScriptedFeed())])
        #expect(try await again.all[0].count("people") == 3)
        try await again.close()
    }

    @Test(
        "a configuration opens all its sources, or one of them, over the same storage",
        arguments: StorageFolder.durable)
    func configured(_ plugin: String) async throws {
        let values = [
            "source": "recorded made-up", "source.made-up": "synthetic", "source.made-up.users": "50",
            "source.made-up.as": "other", "source.recorded.path": Checkout.path("Recordings/sample.har"),
        ].merging(folder.places.values(plugin, at: folder.folder.path + "/x")) { $1 }
        let configuration = try GatewayConfiguration(values)
        #expect(configuration.sources.map(\.name) == ["recorded", "made-up"])
        let gateways = try await configuration.openAll()
        #expect(gateways.all.map(\.word) == ["github", "other"])
        for gateway in gateways.all {
            _ = try await gateway.list(gateway.question(gateway.resource("users")), limit: 5).ending
        }
        let names = gateways.store.schema.collections.map(\.name)
        #expect(names.contains("github_users") && names.contains("other_users"))
        try await gateways.close()
        let one = try await Gateway(configuration: configuration.choosing("made-up"))
        #expect(try await one.count("users") > 4 && one.word == "other")
        try await one.close()
        let error = await #expect(throws: PatchbayError.self) {
            try await Gateway(configuration: configuration)
        }
        #expect(error?.message.contains("several sources (recorded, made-up)") == true)
        let offline = try await configuration.openAll(access: .reading, isOffline: true)
        #expect(offline.all.map(\.word) == ["github", "other"])
        try await offline.close()
    }

    @Test("two sources with the same word are a configuration error with its line")
    func oneWord() async throws {
        let start = "storage = memory\nsource = recorded github"
        for (more, line) in [("", 2), ("\nsource.github.as = github", 3)] {
            let path = try folder.folder.write(start + more, to: "c.conf")
            let configuration = try GatewayConfiguration(file: path)
            let error = await #expect(throws: PatchbayError.self) { try await configuration.openAll() }
            #expect(
                error?.message.contains("\"recorded\" and \"github\" would both store their rows") == true)
            #expect(error?.message.contains("set source.github.as to another word") == true)
            #expect(error?.file == path && error?.line == line)
        }
    }
}
