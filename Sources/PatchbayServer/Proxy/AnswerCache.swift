public import PatchbayCore
import Synchronization

/// The answers that a proxy keeps: those used last in memory, all in the storage.
///
/// They are written a moment after they were given, many in one transaction. A process that is killed loses the newest
/// ones; what the storage holds is whole, because each answer is one row. What takes up more than the limit leaves in
/// the order of its last use.
public final class AnswerCache: Sendable {
    /// The collections that the storage must have.
    public static let collections = [StoredAnswer.collection, ServerState.collection]

    /// What memory holds at most, in bytes.
    private static let recentBytesMax = 32 << 20
    /// How many answers an address has at most: those of other clients, languages, versions.
    private static let variantsMax = 16
    /// How often it is looked whether another process has cleared the cache.
    private static let lookInterval = Duration.seconds(1)
    /// The changes that are remembered so that an older answer does not come in their place.
    private static let changesMax = 256

    let digest: AnswerDigest
    private let archive: AnswerArchive
    private let clock: LayerClock
    private let state: Mutex<State>

    private struct State {
        var recent = RecentAnswers(bytesMax: recentBytesMax)
        var lookedAt: Duration
        var clearings: [UInt8]
        var lastChange = 0
        var changes: [(number: Int, paths: Set<UInt128>)] = []

        /// Whether nothing has changed at a path since a moment, as far as is known.
        func isCurrent(_ path: UInt128, since change: Int) -> Bool {
            guard change < lastChange else { return true }
            guard let first = changes.first, first.number <= change + 1 else { return false }
            return !changes.contains { $0.number > change && $0.paths.contains(path) }
        }
    }

    /// - Parameters:
    ///   - store: holds ``collections``; opened for writing.
    ///   - bytesMax: what the storage keeps.
    ///   - report: is called when answers cannot be written; they are given from memory then.
    public init(
        store: Store, bytesMax: Int, clock: LayerClock, report: @escaping @Sendable (any Error) -> Void
    ) async throws {
        digest = AnswerDigest(secret: try await Self.secret(store))
        archive = AnswerArchive(store: store, bytesMax: bytesMax, clock: clock, report: report)
        self.clock = clock
        state = Mutex(State(lookedAt: clock.uptime(), clearings: try await archive.clearings()))
    }

    /// Writes what was not written yet. Nothing is kept afterwards.
    public func close() async { await archive.flush() }

    private static func secret(_ store: Store) async throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let fresh = (0..<AnswerDigest.secretBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return try await store.write { writing in
            let name = ServerState.secretName
            if let stored = try writing.reading.get(ServerState.self, .text(name)),
                stored.value.count == AnswerDigest.secretBytes
            {
                return stored.value
            }
            try writing.put(ServerState(name: name, value: fresh))
            return fresh
        }
    }
}

// MARK: - Reading

extension AnswerCache {
    /// A moment between changes, to be taken before the server is asked.
    var lastChange: Int { state.withLock { $0.lastChange } }

    /// The answers of an address; nil when they have to be read from the storage.
    func recent(at place: AnswerPlace) -> [StoredAnswer]? {
        let now = clock.uptime()
        return state.withLock { state in
            guard now - state.lookedAt < Self.lookInterval else { return nil }
            return state.recent.answers(at: place.address)
        }
    }

    /// The answers of an address.
    func answers(at place: AnswerPlace) async throws -> [StoredAnswer] {
        try await look()
        if let known = state.withLock({ $0.recent.answers(at: place.address) }) { return known }
        let rows = try await archive.rows(at: place)
        return state.withLock { state in
            // What came in meanwhile is newer.
            if let known = state.recent.answers(at: place.address) { return known }
            state.recent.set(rows, at: place.address)
            return rows
        }
    }

    /// Notes that an answer was given.
    func used(_ answer: StoredAnswer, at now: Timestamp) {
        guard answer.usedAt.age(at: now) > AnswerArchive.useInterval else { return }
        var noted = answer
        noted.usedAt = now
        let isKnown = state.withLock { state in
            guard var answers = state.recent.answers(at: answer.place.address),
                let place = answers.firstIndex(where: { $0.variant == answer.variant })
            else { return false }
            answers[place].usedAt = now
            state.recent.set(answers, at: answer.place.address)
            return true
        }
        if isKnown { archive.put(noted) }
    }

    /// Forgets all when another process has cleared the cache.
    private func look() async throws {
        let now = clock.uptime()
        let isDue = state.withLock { state in
            guard now - state.lookedAt >= Self.lookInterval else { return false }
            state.lookedAt = now
            return true
        }
        guard isDue else { return }
        let clearings = try await archive.clearings()
        state.withLock { state in
            guard state.clearings != clearings else { return }
            state.clearings = clearings
            state.recent.removeAll()
            archive.forget()
        }
    }
}

// MARK: - Writing

extension AnswerCache {
    /// Keeps an answer in the place of an older one for the same clients.
    ///
    /// - Parameters:
    ///   - isConfirmed: whether only its age has changed; then it is written less often.
    ///   - change: ``lastChange`` when the server was asked. An answer that may be older than a change is not kept.
    func save(_ answer: StoredAnswer, isConfirmed: Bool = false, since change: Int) {
        let (isKept, dropped) = state.withLock { state -> (Bool, StoredAnswer?) in
            guard state.isCurrent(answer.place.path, since: change) else { return (false, nil) }
            var answers = state.recent.answers(at: answer.place.address) ?? []
            answers.removeAll { $0.variant == answer.variant }
            answers.append(answer)
            let dropped = answers.count > Self.variantsMax ? answers.removeFirst() : nil
            state.recent.set(answers, at: answer.place.address)
            return (true, dropped)
        }
        if let dropped { archive.delete(dropped) }
        if isKept { archive.put(answer, isUrgent: !isConfirmed) }
    }

    /// Drops one answer.
    func remove(_ answer: StoredAnswer) {
        state.withLock { state in
            guard var answers = state.recent.answers(at: answer.place.address) else { return }
            answers.removeAll { $0.variant == answer.variant }
            state.recent.set(answers, at: answer.place.address)
        }
        archive.delete(answer)
    }

    /// Drops all answers of some paths, whatever their queries; returns when none can be given any more.
    func invalidate(paths: Set<UInt128>) async {
        state.withLock { state in
            state.lastChange += 1
            state.changes = (state.changes + [(state.lastChange, paths)]).suffix(Self.changesMax)
            state.recent.remove(paths: paths)
        }
        await archive.delete(paths: paths)
        // One that was read from the storage meanwhile.
        state.withLock { $0.recent.remove(paths: paths) }
    }
}
