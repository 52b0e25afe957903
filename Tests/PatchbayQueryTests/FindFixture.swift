import Patchbay
import PatchbayPlugins
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport

/// Rows with texts in a storage: posts, whose words are found, and chats, whose parts of words are.
struct FindFixture: Sendable {
    static let now = Timestamp(milliseconds: 1_790_000_000_000)
    let gateway: Gateway
    let storage: String
    /// Kept until the test ends.
    let folder: TemporaryDirectory
    private let places: StoragePlaces

    init(_ storage: String = "memory") async throws {
        try await self.init(storage, TemporaryDirectory(), StoragePlaces(), find: nil)
    }

    /// Opens the storage of another fixture, which was closed.
    ///
    /// - Parameter find: the fields of posts.
    init(reopening other: FindFixture, find: [String]? = nil) async throws {
        try await self.init(other.storage, other.folder, other.places, find: find)
    }

    private init(
        _ storage: String, _ folder: TemporaryDirectory, _ places: StoragePlaces, find: [String]?
    ) async throws {
        (self.folder, self.places, self.storage) = (folder, places, storage)
        var settings = places.settings(storage, at: "\(folder.path)/store")
        if storage != "memory" { settings["durability"] = "off" }
        let opened = try await PluginSet.builtIn.storages.plugin(named: storage).open(
            Settings("storage", settings))
        var posts = ResourceDeclaration(
            "posts",
            fields: [
                FieldDeclaration("id", .integer), FieldDeclaration("title", .text),
                FieldDeclaration("body", .text), FieldDeclaration("labels", .json),
            ], key: ["id"], lists: [ListDeclaration(nil, Template([.literal("/posts")]))])
        posts.title = ["title"]
        posts.editable = ["title"]
        posts.find = find ?? ["title", "body", "labels"]
        var chats = ResourceDeclaration(
            "chats",
            fields: [
                FieldDeclaration("room", .text), FieldDeclaration("at", .integer),
                FieldDeclaration("text", .text),
            ], key: ["room", "at"], lists: [ListDeclaration(nil, Template([.literal("/chats")]))])
        chats.find = ["text"]
        chats.findTokens = .trigram
        var source = Source(name: "scripted")
        source.word = "test"
        source.resources = [posts, chats]
        gateway = try await Gateway(storage: opened, source: source, now: { Self.now })
    }

    /// A few rows in which ferries, accents and other characters occur.
    static let ferries = [
        TextRow(
            id: 1, title: "Crash in the ferry", body: "A data race, on start.", labels: #"["bug","ferry"]"#),
        TextRow(id: 2, title: "Café au lait", body: "Naïve crêpes; race data."),
        TextRow(id: 3, title: "Timetable", body: "The ferry sails. The ferry returns. A crash is unlikely."),
        TextRow(id: 4, title: #"Quotes " and ' here"#, body: "Nothing between; a_b c-d 100%"),
        TextRow(id: 5, title: "gone ferry", isGone: true),
        TextRow(resource: "chats", id: 1, body: "渡船は今日運休です"),
        TextRow(resource: "chats", id: 3, body: "the Ferry boat"),
    ]

    var posts: Resource { get throws { try gateway.resource("posts") } }

    /// The path of the index of a storage of files.
    var path: String { "\(folder.path)/store.find" }

    /// Saves a row as one that the source has returned, with local edits of the stored one.
    func put(_ row: TextRow) async throws { try await put([row]) }

    func put(_ rows: [TextRow]) async throws {
        try await gateway.store.write { writing in
            let number = try writing.changeNumber()
            var builder = RowBuilder()
            for row in rows {
                let resource = try gateway.resource(row.resource)
                let places = Dictionary(
                    uniqueKeysWithValues: resource.collection.fields.enumerated().map { ($1.name, $0) })
                var edit: String?
                if let place = places["title_override"] {
                    _ = try writing.reading.get(row.key, in: resource.collection) {
                        edit = $0.isNull(place) ? nil : $0.text(place)
                    }
                }
                builder.begin(resource.collection)
                builder.set(0, Self.now.milliseconds)
                builder.set(places["change_number"]!, number)
                if row.isGone { builder.set(places["gone_at_ms"]!, Self.now.milliseconds) }
                if let edit { builder.set(places["title_override"]!, edit) }
                switch row.resource {
                case "posts":
                    builder.set(places["id"]!, row.id)
                    if let title = row.title { builder.set(places["title"]!, title) }
                    if let body = row.body { builder.set(places["body"]!, body) }
                    if let labels = row.labels { builder.set(places["labels"]!, labels) }
                default:
                    builder.set(places["room"]!, "a/b")
                    builder.set(places["at"]!, row.id)
                    if let body = row.body { builder.set(places["text"]!, body) }
                }
                try writing.put(builder.finish(), in: resource.collection)
            }
        }
    }

    /// The resources and keys of the rows that an index finds, the best first.
    func found(_ text: String, _ index: TextIndex, limit: Int = 10_000) async throws -> [String] {
        let found = try await index.find(text, limit: limit)
        return found.rows.map { "\($0.resource.name) \($0.item.keyText)" }
    }
}

/// A post or a chat, of which the body is the text.
struct TextRow: Sendable {
    var resource = "posts"
    var id: Int64
    var title: String?
    var body: String?
    var labels: String?
    var isGone = false

    var key: Key { resource == "posts" ? .integer(id) : .compound([.text("a/b"), .integer(id)]) }
}
