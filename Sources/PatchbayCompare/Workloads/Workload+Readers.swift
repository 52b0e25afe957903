import PatchbayCore
import PatchbayDomain

extension Workload {
    /// How many of the users the writer changes; the readers leave them alone, so that what they read does not depend
    /// on how far the writer is.
    private static let writtenUsersMax = 200
    private static let getsEach = 2_048

    static let readersBesideWriter = Workload(
        "readers", "read one user by id, several readers at once, while a writer saves 20 users at a time",
        .users, written: [StoredUser.collection]
    ) { bench, turn in
        let population = bench.population
        let written = population.firstUsers(min(writtenUsersMax, bench.rows / 2))
        let ids = (0..<turn.threads).map { _ in
            (0..<getsEach).map { _ in population.randomID(&turn.draws, above: written.last?.id ?? 0) }
        }
        let store = try bench.store
        let writer = BusyWriter(store, written.map { population.stored($0) })
        let processorStart = Clock.processor()
        let readers = try await writer.writing { try await Reader.runAll(ids, store) }
        let processor = Clock.processor() - processorStart
        try await writer.leaveAsItWas()
        turn.take(readers, processorNanoseconds: processor) { number in
            "get users \(ids[number / getsEach][number % getsEach])"
        }
    }
}

/// Reads users one after another beside others who do the same.
private enum Reader {
    /// After so many reads a reader lets others have its thread, as it would when it waited for a network.
    private static let readsBetweenYields = 16

    typealias Found = (timing: Timing, answers: AnswerLog)

    /// Runs a reader for each list of ids, at the same time.
    static func runAll(_ ids: [[Int64]], _ store: Store) async throws -> [Found] {
        try await withThrowingTaskGroup(of: (Int, [StoredUser?], Timing).self) { group in
            for (number, ids) in ids.enumerated() {
                group.addTask {
                    let (users, timing) = try await run(ids, store)
                    return (number, users, timing)
                }
            }
            var found = [Found](repeating: (Timing(), AnswerLog()), count: ids.count)
            for try await (number, users, timing) in group {
                found[number].timing = timing
                for user in users {
                    try found[number].answers.append(CollectionOfOne(user).compactMap(\.self))
                }
            }
            return found
        }
    }

    private static func run(_ ids: [Int64], _ store: Store) async throws -> ([StoredUser?], Timing) {
        var users: [StoredUser?] = []
        users.reserveCapacity(ids.count)
        var timing = Timing()
        timing.latencies.reserveCapacity(ids.count)
        for (number, id) in ids.enumerated() {
            let start = Clock.monotonic()
            users.append(try await store.read { try $0.get(StoredUser.self, .integer(id)) })
            timing.latencies.append(Clock.monotonic() - start)
            if number % readsBetweenYields == 0 { await Task.yield() }
        }
        timing.nanoseconds = Double(timing.latencies.reduce(0, +))
        return (users, timing)
    }
}
