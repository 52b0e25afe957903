import PatchbayPlugins
import PatchbayQuery
import TestSupport
import Testing

/// Each use case with the bundled recording over memory. The bodies follow the order of the article.
@Suite("Snippets of Use cases")
struct UseCases {
    private func gateway() async throws -> Gateway {
        let recordings = ["PATCHBAY_RECORDINGS": Checkout.path("Recordings")]
        return try await Gateway(
            configuration: GatewayConfiguration(
                flags: [.init("storage", "memory", name: "test")], environment: recordings))
    }

    @Test("rows are listed, shown and read in windows")
    func reading() async throws {
        let gateway = try await gateway()
        var printed: [String] = []
        func print(_ text: String?) { printed.append(text ?? "") }
        // snippet: use case list
        let page = try await gateway.list("users", limit: 20).ending
        print(page.value?.items.first?.handle)
        // end
        // snippet: use case show
        let answer = try await gateway.show("users", "Marlow-Quern").ending
        print(answer.value?.text("location"))
        // end
        // snippet: use case children
        let repositories = try gateway.resource("repos")
        let firstTen = try gateway.question(repositories, arguments: ["Marlow-Quern"])
        for item in await gateway.list(firstTen, limit: 10).ending.value?.items ?? [] { print(item.title) }
        // end
        #expect(printed.count == 12)
        #expect(printed.first == "Marlow-Quern")
        // snippet: use case window
        let question = try gateway.question(gateway.resource("users"))
        let window = gateway.window(question, size: 40)
        let state = await window.next(20)
        print("\(state.items.count) users, more: \(state.hasLater)")
        // end
        #expect(!state.items.isEmpty)
        try await gateway.close()
    }

    @Test("rows are searched, edited and marked")
    func changing() async throws {
        let gateway = try await gateway()
        let users = try gateway.resource("users")
        _ = try await gateway.show("users", "Marlow-Quern").ending
        var printed: [String] = []
        func print(_ text: String?) { printed.append(text ?? "") }
        // snippet: use case search
        let found = await gateway.search(users, "marlow").ending
        for user in found.value?.items ?? [] { print(user.handle) }
        for search in try await gateway.recentSearches.list() { print("searched for \(search.text)") }
        // end
        #expect(printed.first == "Marlow-Quern")
        // snippet: use case override
        try await gateway.edit(users, "Marlow-Quern", "name", to: "Marlow of the ferries")
        let reverted = try await gateway.revert(users, "Marlow-Quern", "name")
        print(reverted.value.title)
        // end
        #expect(printed.last == "Marlow Quernwick")
        // snippet: use case favourites
        try await gateway.addFavourite(users, "Marlow-Quern")
        for favourite in try await gateway.favourites(users) { print(favourite.title) }
        try await gateway.removeFavourite(users, "Marlow-Quern")
        // end
        // snippet: use case clear
        let cleared = try await gateway.clear(users, keepingEdits: true)
        print("\(cleared.rows) rows removed")
        // end
        #expect(cleared.rows > 0)
        try await gateway.close()
    }

    @Test("questions in SQL are answered")
    func queries() async throws {
        let gateway = try await gateway()
        _ = await (try gateway.sync("users")).run()
        var printed = 0
        func print(_ values: Any...) { printed += 1 }
        // snippet: query
        let rows = try await gateway.query(
            "SELECT type, count(*) FROM users WHERE id < :most GROUP BY type", ["most": 910_000_000])
        for try await row in rows { print(row[0], row[1]) }
        if let limit = rows.ending?.limit { print("incomplete: \(limit)") }
        // end
        #expect(printed == 2)
        // snippet: find
        let found = try await gateway.find("ferries -\"no ferries\"", limit: 10)
        for row in found.rows { print(row.item.title, row.excerpt.text) }
        if let reason = found.reason { print("incomplete: \(reason)") }
        // end
        #expect(printed > 2)
    }

    @Test("whole lists are fetched, and changes are watched")
    func fetching() async throws {
        let gateway = try await gateway()
        var printed: [String] = []
        func print(_ text: String?) { printed.append(text ?? "") }
        // snippet: use case sync
        let sync = try gateway.sync("users")
        let plan = try await sync.plan()
        print("at least \(plan.requestsMin) requests")
        let (end, progress) = await sync.run()
        if case .complete = end { print("\(progress.rows) users") }
        // end
        #expect(printed.last == "104 users")
        // snippet: use case watch
        let users = try gateway.resource("users")
        for try await changes in gateway.watch(users, limit: 20) {
            for change in changes { print(change.item.handle) }
            break  // only the rows that are stored now; without this line, each later commit too
        }
        // end
        #expect(printed.count == 22)
        var saved: ChangePosition?
        // snippet: use case changes
        let news = try await gateway.changes(since: saved)
        if news.restart != nil { print("the rows known so far are void") }
        for case .row(let item) in news.changes { print(item.handle) }
        saved = news.position  // continue here the next time, if `news.hasMore` at once
        // end
        #expect(printed.count == 126 && saved != nil)
        try await gateway.close()
    }
}
