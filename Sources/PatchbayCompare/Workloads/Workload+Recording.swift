import PatchbayCore
import PatchbayDomain
import SourceSynthetic

extension Workload {
    private static let gets = 256

    static let ingest = Workload(
        name: "ingest", summary: "sync the recorded users with their details into an empty storage",
        dataset: .recording, isLoad: true, writes: true
    ) { bench, turn in
        turn.isLast = true
        try await turn.run([()], query: { _ in "sync users with details" }) {
            .numbers([try await bench.syncWithDetails()])
        }
        try await bench.rememberRecorded()
    }

    static let recordedByKey = Workload(
        name: "recorded-get-key", summary: "read a random recorded user by id", dataset: .recording
    ) { bench, turn in
        let keys = (0..<gets).map { _ in bench.randomRecorded(&turn.draws).key }
        try await turn.get(keys, query: { "get users \($0)" }) { $0 }
    }

    static let recordedByLogin = Workload(
        name: "recorded-show", summary: "show a recorded user by login, offline", dataset: .recording
    ) { bench, turn in
        let handles = (0..<gets).map { _ in bench.randomRecorded(&turn.draws).handle }
        try await turn.run(handles, query: { "show user \"\($0)\"" }) { .row(try await bench.show($0)) }
    }

    static let recordedPages = Workload(
        name: "recorded-list", summary: "list 20 recorded users, offline", dataset: .recording
    ) { bench, turn in
        let starts = (0..<gets).map { _ in
            turn.draws.chance(0.25) ? 0 : bench.randomRecorded(&turn.draws).order ?? 0
        }
        try await turn.run(starts, query: { "list users after \($0) limit 20" }) { start in
            .rows(try await bench.list(after: start, limit: pageRows))
        }
    }
}

extension Bench {
    /// The most rows of a recording that the reading workloads choose from.
    private static let recordedMax = 10_000

    fileprivate func randomRecorded(_ draws: inout Draw) -> Item { recorded[draws.below(recorded.count)] }

    /// Remembers the stored rows.
    ///
    /// - Throws: `notFound` when the recording has none.
    fileprivate func rememberRecorded() async throws {
        let resource = resource, query = Query(resource.collection, limit: Self.recordedMax)
        recorded = try await store.read { try $0.rows(query, of: resource) }.map(\.item)
        if recorded.isEmpty {
            throw PatchbayError(
                .notFound, "the recording \"\(setup.recording ?? "")\" has no list of users to replay")
        }
    }
}
