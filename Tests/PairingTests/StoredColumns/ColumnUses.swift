import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayNetworking
@testable import PatchbayServer
@testable import PatchbayTestKit
import Synchronization

/// The use cases of every command and every route of the server, over a storage with one odd value.
struct ColumnUses {
    let opened: ColumnStore.Opened
    let store: ColumnStore
    let values: [ColumnValue]
    /// Called with the name of each use before it begins, with a finding, and with the errors of uses.
    let journal: ColumnJournal

    private var gateway: Gateway { opened.gateway }

    /// Runs all uses; those that repair a value come first in a third of the runs each.
    func run(_ number: Int) async throws {
        api.isOffline.store(true, ordering: .relaxed)
        try await reads()
        api.isOffline.store(false, ordering: .relaxed)
        try await routes(where: { $0.method == .get })
        try await maintenance()
        let parts = [syncs, questions, changes]
        for part in 0..<3 { try await parts[(number + part) % 3]() }
        try await repairs()
    }

    private var api: MadeAPI { store.api }

    private func use(_ name: String, _ body: () async throws -> Void) async throws {
        journal.begins(name)
        do {
            try await body()
        } catch let error as PatchbayError {
            journal.failed(error)
        } catch {
            journal.found("\(name): \(error)")
        }
        journal.ends()
    }

    private func answer<Value>(
        _ name: String, _ answers: Answers<Value>, _ check: (Answer<Value>) -> Void = { _ in }
    ) async throws {
        try await use(name) {
            for await answer in answers {
                if let error = answer.outcome.error { journal.failed(error) }
                if let age = answer.age, age < .zero { journal.found("\(name): the age is \(age)") }
                check(answer)
            }
        }
    }
}

// MARK: - Reads

extension ColumnUses {
    private func reads() async throws {
        let people = try gateway.resource("people"), projects = try gateway.resource("projects")
        try await answer(
            "list stored people", try gateway.list("people", limit: 100, policy: .localOnly)
        ) { check("people", MadeAPI.people, $0) }
        try await answer(
            "list stored projects", try gateway.list("projects", "user-1", limit: 100, policy: .localOnly)
        ) { check("projects", MadeAPI.projects, $0) }
        for answers in [
            try gateway.list("people", after: 10, limit: 3, policy: .localOnly),
            try gateway.list("projects", "user-1", skipping: 4, limit: 2, policy: .localOnly),
            try gateway.list("changes", "user-1/p-1", policy: .localOnly),
        ] { try await answer("list a part", answers) }
        for handle in ["user-1", "old-2", "user-7", "user-8", "user-26"] {
            try await answer("show", gateway.show(people, handle, policy: .localOnly))
        }
        for text in ["user", "use", "User 1", "zzz", "e"] {
            try await answer("search", gateway.search(people, text, policy: .localOnly))
        }
        try await answer("picture", gateway.picture(people, "user-1", policy: .localOnly))
        try await use("favourites") {
            _ = try await gateway.favourites()
            _ = try await gateway.favourites(matching: "user", of: people)
            let items = try await gateway.list("people", policy: .localOnly).ending.value?.items ?? []
            _ = try await gateway.favourites(among: items)
        }
        try await use("recent and denied searches") {
            _ = try await opened.gateways.recentSearches.list()
            _ = try await opened.gateways.deniedSearches.list()
        }
        for (resource, words) in [(people, []), (projects, ["user-1"])] {
            let question = try gateway.question(resource, arguments: words)
            try await window(gateway.window(question, size: 4, isOffline: true))
        }
        try await window(gateway.favouritesWindow(of: nil, size: 2, wraps: true))
        try await use("watch") {
            for try await _ in gateway.watch(people) { break }
        }
        try await use("batches") {
            let question = try gateway.question(people)
            let batches = gateway.batches(of: question, limit: 100, policy: .localOnly)
            while await batches.next() != nil {}
        }
        try await use("plans") {
            _ = try await (try gateway.sync("people")).plan()
            _ = try await (try gateway.sync("projects", "user-3")).plan()
            _ = try await gateway.syncAll().plan()
            _ = try await (try gateway.searchAll(people, "use")).plan()
        }
        try await use("limits") {
            try await gateway.store.read { reading in
                _ = try reading.list(StoredBudget.self, Query(StoredBudget.collection))
                _ = try reading.list(StoredPace.self, Query(StoredPace.collection))
            }
            _ = await gateway.source.budget?()
        }
    }

    private func window<List, Position>(_ window: Window<List, Position>) async throws {
        try await use("window") {
            for _ in 0..<3 { _ = await window.next() }
            _ = await window.jump(toFraction: 0.5)
            _ = await window.previous()
            _ = await window.jumpToEnd()
            _ = await window.resize(to: 7)
            _ = await window.previous(2)
        }
    }

    private static func isKeyText(_ value: FieldValue) -> Bool {
        guard case .text(let text) = value else { return true }
        return text.split(whereSeparator: \.isWhitespace).allSatisfy { Int64($0) != nil }
    }

    /// Checks that a list that is said to be complete is.
    private func check(_ name: String, _ ids: [Int64], _ answer: Answer<ItemList>) {
        guard let list = answer.value else { return }
        let listed = list.items.compactMap { $0.integer("id") }
        let isWhole = !list.isPartial && list.shortfall == nil && list.gaps.isEmpty
        // Other rows, and rows that are no longer listed, may be right.
        let isOwn = values.contains { $0.collection.name == "made_\(name)" }
        // A link or a key that could have been stored is believed.
        let isPossible = values.contains {
            $0.collection.name == "list_pages" && ($0.field.name == "next" || Self.isKeyText($0.value))
        }
        if isWhole, !isOwn, !isPossible, answer.outcome.error == nil, case .endOfSource = answer.state,
            listed != ids
        {
            journal.suspected("\(name) are \(listed), and nothing says that rows are missing")
        }
    }
}

// MARK: - The server

extension ColumnUses {
    private func routes(where isWanted: (Route) -> Bool) async throws {
        for route in RouteTable.all.routes where isWanted(route) {
            for path in paths(of: route) {
                var fields: HTTPFields = [.ifMatch: "*"]
                if let type = route.body?.mediaTypes.first { fields[.contentType] = type }
                let body = route.body == nil ? "" : #"{"name": "By route"}"#
                try await request(route.method, "/-" + path, fields, body)
            }
        }
        guard isWanted(.listRows) else { return }
        for fields in [
            [:], [.range: "bytes=0-1"], [.ifNoneMatch: "\"a\""], [.cacheControl: "no-cache"],
            [.acceptLanguage: "de"],
        ] as [HTTPFields] {
            for path in ["/doc", "/people/user-1"] { try await request(.get, path, fields) }
        }
        api.isOffline.store(true, ordering: .relaxed)
        for path in ["/doc", "/doc?page=2", "/people/user-1"] { try await request(.get, path) }
        api.isOffline.store(false, ordering: .relaxed)
        try await use("cache content") { _ = try await AnswerCache.content(of: gateway.store) }
    }

    /// The paths of a route: with each of its parameters, for a list of each kind.
    private func paths(of route: Route) -> [String] {
        let rows = [("people", "user-1", "?"), ("projects", "user-1%2Fp-1", "?list=&of=user-1&")]
        return rows.flatMap { name, key, query in
            let path = route.path.text.replacing("{name}", with: name).replacing("{key}", with: key)
                .replacing("{field}", with: "name").replacing("{sync}", with: "1")
            let required = route.parameters.filter(\.isRequired).map { "\($0.name)=\(Self.value($0))" }
            let start = path + "?" + (required.isEmpty ? "" : required.joined(separator: "&") + "&")
            let isList = route.operation == "list" && name == "projects"
            let optional = route.parameters.filter { !$0.isRequired }.map { parameter in
                start + (isList ? "of=user-1&" : "") + "\(parameter.name)=\(Self.value(parameter))"
            }
            _ = query
            return [start] + optional
        }
    }

    private static func value(_ parameter: Parameter) -> String {
        switch parameter.kind {
        case .words where parameter.name == "sql": "SELECT%20*%20FROM%20people_all"
        case .anything, .text, .words: parameter.name == "by" ? "login" : "user"
        case .integer(let range): "\(range.lowerBound)"
        case .choice(let choices): choices.last ?? ""
        case .names: parameter.name == "fields" ? "id" : "people"
        case .token: String(repeating: "A", count: 32)
        }
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:], _ body: String = ""
    ) async throws {
        let name = "\(method) \(path)"
        try await use(name) {
            let response = await opened.server.responder.respond(
                to: ColumnStore.request(method, path, fields, body))
            let status = response.head.status.code
            switch response.body {
            case .whole(let bytes):
                if status >= 500, status != 504 {
                    journal.answered(status, String(decoding: bytes.prefix(500), as: UTF8.self))
                }
                let isJSON = response.headerFields[.contentType]?.contains("json") == true
                if isJSON, !path.hasPrefix("/doc"), !path.hasPrefix("/people"), !bytes.isEmpty,
                    (try? JSONValue(bytes)) == nil
                {
                    journal.found("\(name): the answer is not JSON")
                }
            case .stream(let write):
                let task = Task { try await write(ServerResponse.Writer { _ in throw CancellationError() }) }
                let end = Task {
                    try await Task.sleep(for: .milliseconds(5))
                    task.cancel()
                }
                _ = await task.result
                end.cancel()
            }
        }
    }
}

// MARK: - Changes

extension ColumnUses {
    private func maintenance() async throws {
        let store = gateway.store
        try await use("verify") {
            let verification = try await store.verify()
            if !verification.faults.isEmpty { journal.noted("verify: \(verification.faults)") }
        }
        try await use("info") {
            _ = try await store.storage.describe()
            for collection in store.schema.collections {
                _ = try await store.read { try $0.count(Query(collection)) }
            }
        }
        try await use("export and import") {
            var text: [UInt8] = []
            _ = try await ExportRows(store, nil, as: .jsonl).run { text += $0 }
            for resource in gateway.resources {
                _ = try await ExportRows(store, resource.collection, as: .csv).run { _ in }
            }
            let other = try await Store(MemoryStorage(), schema: store.schema)
            var rest = text[...]
            _ = try await ImportRows(other, nil, as: .jsonl, name: "rows").run { bytesMax in
                defer { rest = rest.dropFirst(bytesMax) }
                return Array(rest.prefix(bytesMax))
            }
            try await other.close()
        }
        try await use("compact") { try await store.storage.compact { _ in } }
    }

    private func syncs() async throws {
        for sync in [
            try gateway.sync("notes"), try gateway.sync("projects", "user-3"), try gateway.sync("people"),
            try gateway.sync("projects", "user-1", details: true),
            gateway.syncChildren(try gateway.resource("changes")), gateway.syncAll(from: .theBeginning),
            try gateway.searchAll(try gateway.resource("people"), "user"),
            try gateway.searchAll(try gateway.resource("people"), "use"),
        ] {
            try await use("sync") {
                let (end, progress) = await sync.run()
                if case .failed(let error) = end { journal.failed(error) }
                if progress.rows < 0 || progress.pages < 0 { journal.found("sync: \(progress)") }
            }
        }
    }

    private func questions() async throws {
        let people = try gateway.resource("people"), projects = try gateway.resource("projects")
        for policy in [Policy.localFirst, .remoteFirst, .refresh] {
            try await answer("list people", try gateway.list("people", limit: 100, policy: policy))
            try await answer(
                "list projects", try gateway.list("projects", "user-1", limit: 100, policy: policy))
            for handle in ["user-1", "old-2", "user-9"] {
                try await answer("show", gateway.show(people, handle, policy: policy))
            }
            for text in ["user", "zzz"] {
                try await answer("search", gateway.search(people, text, policy: policy))
            }
            try await answer("picture", gateway.picture(people, "user-1", policy: policy))
        }
        try await window(gateway.window(try gateway.question(projects, arguments: ["user-1"]), size: 4))
        try await use("visible children") {
            let items = try await gateway.list("projects", "user-1", policy: .localOnly).ending.value?.items
            let children = try gateway.visibleChildren(try gateway.resource("changes"))
            await children.show(items ?? [])
            var awaited = items?.count ?? 0
            // Nothing arrives for a list that could not be read.
            var arrivals = children.arrivals.makeAsyncIterator()
            while awaited > 0, await arrivals.next() != nil { awaited -= 1 }
            await children.close()
        }
    }

    private func changes() async throws {
        let people = try gateway.resource("people")
        try await use("edit") { try await gateway.edit(people, "user-3", "name", to: "Changed") }
        try await use("revert") { _ = try await gateway.revert(people, "user-1", "name") }
        try await use("favourite") {
            _ = try await gateway.addFavourite(people, "user-4")
            _ = try await gateway.removeFavourite(people, "user-1")
        }
        try await routes(where: { $0.method != .get })
        try await use("forget searches") {
            _ = try await opened.gateways.recentSearches.clear()
            _ = try await opened.gateways.deniedSearches.clear()
        }
    }

    /// A clear and a whole list must make everything right, or say why not.
    private func repairs() async throws {
        try await use("clear the cache") { _ = try await AnswerCache.clear(gateway.store) }
        for name in ["people", "projects"] {
            try await use("clear") { _ = try await gateway.clear(try gateway.resource(name)) }
        }
        for (name, words, ids) in [
            ("people", [], MadeAPI.people), ("projects", ["user-1"], MadeAPI.projects),
        ] {
            let question = try gateway.question(try gateway.resource(name), arguments: words)
            try await use("sync again") {
                let (end, _) = await gateway.sync(question, from: .theBeginning).run()
                switch end {
                case .complete:
                    let answer = await gateway.list(question, limit: 100, policy: .localOnly).ending
                    let listed = answer.value?.items.compactMap { $0.integer("id") }
                    if listed != ids { journal.found("\(name) are \(listed ?? []) after a whole list") }
                case .failed(let error): journal.failed(error)
                default: journal.found("the sync of \(name) ended with \(end)")
                }
            }
        }
    }
}
