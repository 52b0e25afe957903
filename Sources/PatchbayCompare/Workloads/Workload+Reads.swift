import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    /// How many users a page holds that somebody looks at.
    static let pageUsers = 20
    private static let gets = 2_048
    private static let pages = 256

    static let getByKey = Workload("get-key", "read one user by id, of all users at random", .users) {
        bench, turn in
        let ids = (0..<gets).map { _ in bench.population.randomID(&turn.draws) }
        let store = try bench.store
        try await turn.run(ids, query: { "get users \($0)" }) { id in
            try await store.read { try $0.get(StoredUser.self, .integer(id)) }
        } log: { user, log in
            try log.append(CollectionOfOne(user).compactMap(\.self))
        }
    }

    static let getByLogin = Workload(
        "get-login", "read one user by login, through the index of logins", .users
    ) { bench, turn in
        let logins = (0..<gets).map { _ in
            bench.population.user(bench.population.randomID(&turn.draws)).login
        }
        try await turn.list(logins, of: bench, query: { "get users with login \"\($0)\"" }) { login in
            Query(StoredUser.collection, by: StoredUser.byLogin, .equal(.text(login)), limit: 10)
        }
    }

    static let pageForward = Workload(
        "page-forward", "read the 20 users behind an id at random, in id order", .users
    ) { bench, turn in
        let ids = (0..<pages).map { _ in bench.population.randomID(&turn.draws) }
        try await turn.list(ids, of: bench, query: { "list users after \($0) limit 20" }) { id in
            Query(StoredUser.collection, after: .integer(id), limit: pageUsers)
        }
    }

    static let pageBackward = Workload(
        "page-backward", "read the 20 users before an id at random, against id order", .users
    ) { bench, turn in
        let ids = (0..<pages).map { _ in bench.population.randomID(&turn.draws) }
        try await turn.list(ids, of: bench, query: { "list users before \($0) limit 20" }) { id in
            Query(StoredUser.collection, after: .integer(id), order: .descending, limit: pageUsers)
        }
    }

    static let prefixSearch = Workload(
        "prefix-search", "read the first 20 users whose login begins with three given letters", .users
    ) { bench, turn in
        let prefixes = (0..<pages).map { _ in
            String(bench.population.user(bench.population.randomID(&turn.draws)).login.prefix(3))
        }
        try await turn.list(prefixes, of: bench, query: { "list users with login \"\($0)...\" limit 20" }) {
            prefix in
            Query(
                StoredUser.collection, by: StoredUser.byLogin, .prefix(.text(prefix)), limit: pageUsers)
        }
    }

    static let favourites = Workload(
        "favourites", "find which of a page's 20 users are favourites", .users
    ) { bench, turn in
        let pages = (0..<pages).map { _ in
            let start = bench.population.randomID(&turn.draws)
            let ids = start...min(start + 2 * Int64(pageUsers), bench.population.lastID)
            return ids.filter(bench.population.holds).prefix(pageUsers).map(bench.population.user)
        }
        let find = try bench.gateway.findFavourites
        try await turn.run(pages, query: { "find favourites among \($0.count) users from \($0[0].id)" }) {
            users in
            try await find(among: users)
        } log: { ids, log in
            try log.append(ids.sorted().map(FoundNumber.init))
        }
    }

    static let scan = Workload("scan", "read 1,000 users one after the other, in id order", .users) {
        bench, turn in
        let ids = (0..<3).map { _ in bench.population.randomID(&turn.draws) }
        try await turn.list(ids, of: bench, query: { "list users after \($0) limit 1000" }) { id in
            Query(StoredUser.collection, after: .integer(id), limit: 1_000)
        }
    }
}

extension Turn {
    /// Reads the users that queries find, each in a transaction of its own.
    fileprivate func list<Operation>(
        _ operations: [Operation], of bench: Bench, query text: @escaping (Operation) -> String,
        _ query: @escaping (Operation) -> Query
    ) async throws {
        let store = try bench.store
        try await run(operations, query: text) { operation in
            let query = query(operation)
            return try await store.read { try $0.list(StoredUser.self, query) }
        } log: { users, log in
            try log.append(users)
        }
    }
}
