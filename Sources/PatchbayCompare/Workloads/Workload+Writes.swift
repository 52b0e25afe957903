import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    private static let userPages = 16

    static let durableWrite = Workload(
        "durable-write", "save one changed user in a transaction of its own, as durable as set", .users,
        turnsARound: 4, written: [StoredUser.collection]
    ) { bench, turn in
        let users = (0..<64).map { _ in
            var user = bench.population.user(bench.population.randomID(&turn.draws))
            user.detail?.bio = turn.draws.text(bytes: 10 + turn.draws.below(150))
            return bench.population.stored(user)
        }
        let store = try bench.store
        try await turn.run(users, query: { "save users \($0.user.id)" }) { user in
            try await store.write { try $0.put(user) }
        } log: { _, _ in
        }
    }

    static let refreshPage = Workload(
        "refresh-page", "refresh a page of 100 users of whom half have changed, and read it", .users,
        turnsARound: 4, written: [StoredUser.collection, StoredUserPage.collection]
    ) { bench, turn in
        let starts = (0..<userPages).map { _ in bench.population.randomPageStart(&turn.draws) }
        bench.source.prepare(bench.pages(behind: starts, revision: turn.number + 1))
        let list = try bench.gateway.listUsers
        try await turn.run(starts, query: { "refresh users after \($0) limit 100" }) { start in
            bench.clock.step()
            return try await list(after: start, limit: Population.pageUsers, policy: .refresh).window()
        } log: { users, log in
            try log.append(users)
        }
    }

    static let syncResume = Workload(
        "sync-resume", "go on with a sync of the list of users where it stopped, by one page of 100", .users,
        turnsARound: 4, written: [StoredUser.collection, StoredUserPage.collection, StoredListRun.collection]
    ) { bench, turn in
        let first = turn.number * userPages % bench.population.pages
        let starts = (0..<userPages).map { place in
            bench.population.pageStarts[(first + place) % bench.population.pages]
        }
        bench.source.prepare(bench.pages(behind: starts, revision: turn.number + 1_000_001))
        let sync = try bench.gateway.syncUsers
        try await turn.run(starts, query: { "sync users after \($0), one page" }) { _ in
            bench.clock.step()
            let (end, progress) = await sync(maximumRequests: 1).run()
            if case .failed(let error) = end { throw error }
            return progress
        } log: { progress, log in
            try log.append(CollectionOfOne(FoundNumber(progress.rows)))
        }
    }
}

extension Bench {
    /// The pages behind some ids, as the source will tell them.
    fileprivate func pages(behind starts: [Int64], revision: Int) -> [Int64: UserPage] {
        var pages: [Int64: UserPage] = [:]
        for start in starts where pages[start] == nil {
            pages[start] = population.page(after: start, revision: revision)
        }
        return pages
    }
}
