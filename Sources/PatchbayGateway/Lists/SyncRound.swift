import PatchbayCore
import PatchbayDomain

/// The cursor of a sync of several lists. The round that an interrupted sync leaves unfinished is continued by the next
/// one: a list that was completed since the round began is not requested again.
struct SyncRound: Sendable {
    let gateway: Gateway
    /// The name of the cursor. It does not begin as the names of lists do.
    let name: String
    /// What the round fetches; a round of something else is not continued.
    let query: String

    /// Marks a round that requests whole lists even if the source can report only newer rows.
    private static let whole = "whole"

    /// A round that has not been saved.
    func new(_ start: SyncStart) -> StoredListRun {
        var run = StoredListRun(list: name, query: query, startedAt: gateway.now())
        if case .continuing(let since, _) = start { run.startedAt = since }
        run.next = start.isWhole ? Self.whole : nil
        return run
    }

    /// The unfinished round that a sync continues.
    func interrupted(_ start: SyncStart) async throws -> StoredListRun? {
        let run = try await gateway.store.read { try $0.get(StoredListRun.self, .text(name)) }
        guard let run, run.query == query, run.finishedAt == nil, start.isAfter(run),
            run.isWhole || !start.isWhole
        else { return nil }
        return run
    }

    func put(_ run: StoredListRun) async throws { try await gateway.store.write { try $0.put(run) } }

    func finish(_ run: StoredListRun) async throws {
        var run = run
        (run.finishedAt, run.next) = (gateway.now(), nil)
        try await put(run)
    }

    fileprivate static func isWhole(_ run: StoredListRun) -> Bool { run.next == whole }
}

/// A run that is the cursor of a round.
extension StoredListRun {
    /// Whether the round requests whole lists.
    var isWhole: Bool { SyncRound.isWhole(self) }

    /// Where a sync of the round begins each list.
    var start: SyncStart { .continuing(since: startedAt, isWhole: isWhole) }
}
