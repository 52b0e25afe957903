import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    private static let gets = 256

    static let ingest = Workload(
        "ingest", "sync the recorded users with their details into an empty storage", .recording,
        isLoad: true,
        written: [StoredUser.collection, StoredUserPage.collection]
    ) { bench, turn in
        turn.isLast = true
        let gateway = try bench.gateway
        try await turn.run([gateway], query: { _ in "sync users with details" }) { gateway in
            await gateway.syncUserDetails().run()
        } log: { result, log in
            try log.append(CollectionOfOne(FoundNumber(result.1.rows)))
        }
        try await bench.rememberRecorded()
    }

    static let recordedByKey = Workload(
        "recorded-get-key", "read one recorded user by id, of all at random", .recording
    ) { bench, turn in
        let ids = (0..<gets).map { _ in bench.recorded[turn.draws.below(bench.recorded.count)].id }
        let store = try bench.store
        try await turn.run(ids, query: { "get users \($0)" }) { id in
            try await store.read { try $0.get(StoredUser.self, .integer(id)) }
        } log: { user, log in
            try log.append(CollectionOfOne(user).compactMap(\.self))
        }
    }

    static let recordedByLogin = Workload(
        "recorded-show", "show one recorded user by login, as \"users show --offline\" does", .recording
    ) { bench, turn in
        let logins = (0..<gets).map { _ in
            bench.recorded[turn.draws.below(bench.recorded.count)].login
        }
        let show = try bench.gateway.showUser
        try await turn.run(logins, query: { "show user \"\($0)\"" }) { login in
            var user: StoredUser?
            for await answer in show(login, policy: .localOnly) {
                if case .failed(let error) = answer.outcome { throw error }
                user = answer.value
            }
            return user
        } log: { user, log in
            try log.append(CollectionOfOne(user).compactMap(\.self))
        }
    }

    static let recordedPages = Workload(
        "recorded-list", "list 20 recorded users, as \"users list --offline\" does", .recording
    ) { bench, turn in
        let starts = (0..<gets).map { _ in
            turn.draws.chance(0.25) ? 0 : bench.recorded[turn.draws.below(bench.recorded.count)].id
        }
        let list = try bench.gateway.listUsers
        try await turn.run(starts, query: { "list users after \($0) limit 20" }) { start in
            try await list(after: start, limit: pageUsers, policy: .localOnly).window()
        } log: { users, log in
            try log.append(users)
        }
    }
}

extension Bench {
    /// Users of the recording that the reading workloads draw from, at most.
    private static let recordedMax = 10_000

    /// Takes note of which users there are now.
    ///
    /// - Throws: `notFound` when the recording told of none.
    fileprivate func rememberRecorded() async throws {
        let query = Query(StoredUser.collection, limit: Self.recordedMax)
        recorded = try await store.read { try $0.list(StoredUser.self, query) }.map {
            ($0.user.id, $0.user.login)
        }
        if recorded.isEmpty {
            throw PatchbayError(
                .notFound, "the recording \"\(setup.recording ?? "")\" has no list of users to replay")
        }
    }
}
