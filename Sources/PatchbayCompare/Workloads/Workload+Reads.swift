import PatchbayCore
import PatchbayDomain

extension Workload {
    /// The number of rows on a displayed page.
    static let pageRows = 20
    private static let gets = 2_048
    private static let pages = 256

    static let getByKey = Workload(name: "get-key", summary: "read a random user by id", isBare: true) {
        bench, turn in
        let ids = bench.population.randomIDs(gets, &turn.draws)
        try await turn.get(ids, query: { "get users \($0)" }) { .integer($0) }
    }

    static let getByLogin = Workload(
        name: "get-login", summary: "read a random user by login, through the index of logins", isBare: true
    ) { bench, turn in
        let logins = try bench.population.randomIDs(gets, &turn.draws).map {
            try bench.population.item($0).handle
        }
        try await turn.list(logins, query: { "get users with login \"\($0)\"" }) { login, users in
            Query(users.collection, by: users.handleIndex!, .equal(.text(login)), limit: 10)
        }
    }

    static let pageForward = lists(
        "page-forward", "read the 20 users after a random id, in id order", rows: pageRows, count: pages)

    static let pageBackward = lists(
        "page-backward", "read the 20 users before a random id, in descending id order",
        rows: pageRows, order: .descending, count: pages)

    static let scan = lists("scan", "read 1,000 users in id order", rows: 1_000, count: 3)

    private static func lists(
        _ name: String, _ summary: String, rows: Int, order: Query.Order = .ascending, count: Int
    ) -> Workload {
        let place = order == .ascending ? "after" : "before"
        return Workload(name: name, summary: summary, isBare: true) { bench, turn in
            let ids = bench.population.randomIDs(count, &turn.draws)
            try await turn.list(ids, query: { "list users \(place) \($0) limit \(rows)" }) {
                id, users in
                Query(users.collection, after: .integer(id), order: order, limit: rows)
            }
        }
    }

    static let prefixSearch = Workload(
        name: "prefix-search", summary: "read the first 20 users whose login begins with three given letters",
        isBare: true
    ) { bench, turn in
        let prefixes = try bench.population.randomIDs(pages, &turn.draws).map {
            String(try bench.population.item($0).handle.prefix(3))
        }
        try await turn.list(prefixes, query: { "list users with login \"\($0)...\" limit 20" }) {
            prefix, users in
            Query(users.collection, by: users.handleIndex!, .prefix(.text(prefix)), limit: pageRows)
        }
    }

    static let favourites = Workload(
        name: "favourites", summary: "find the favourites among the 20 users of a page"
    ) { bench, turn in
        let pages = try bench.population.randomIDs(pages, &turn.draws).map { start in
            let ids = start...min(start + 2 * Int64(pageRows), bench.population.lastID)
            return try ids.filter(bench.population.holds).prefix(pageRows).map(bench.population.item)
        }
        try await turn.run(pages, query: { "find favourites among \($0.count) users from \($0[0].order!)" }) {
            .numbers(try await bench.favourites(among: $0))
        }
    }
}
