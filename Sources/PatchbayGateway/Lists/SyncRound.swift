import PatchbayCore
import PatchbayDomain

/// The cursor of a sync of several lists. The round that an interrupted sync leaves unfinished is continued by the next
/// one: a list that was completed since the round began is not requested again.
///
/// A failure that is limited to some lists ends the round once the others are fetched, because it may return each time,
/// and the completed lists would never be requested again.
struct SyncRound: Sendable {
    let gateway: Gateway
    /// The name of the cursor. It does not begin as the names of lists do.
    let name: String
    /// What the round fetches; a round of something else is not continued.
    let query: String
    /// How long an interrupted round continues, because the lists that it completed grow old; nil for any time.
    var ageMax: Duration?
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
            run.isWhole || !start.isWhole, let age = run.startedAt.storedAge(at: gateway.now()),
            ageMax.map({ age < $0 }) ?? true
        else { return nil }
        return run
    }

    /// The interrupted round, or a new one, which is saved.
    func begun(_ start: SyncStart) async throws -> (run: StoredListRun, isContinued: Bool) {
        if let run = try await interrupted(start) { return (run, true) }
        return (try await put(new(start)), false)
    }

    /// What a sync reports when it continues a round.
    static func note(_ run: StoredListRun) -> String {
        "this sync continues the one of \(run.startedAt); lists completed since then are not requested again"
    }

    @discardableResult
    func put(_ run: StoredListRun) async throws -> StoredListRun {
        try await gateway.store.write { writing in
            var run = run
            if run.changeNumber == nil { run.changeNumber = try writing.lastChangeNumber() }
            try writing.put(run)
            return run
        }
    }

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
