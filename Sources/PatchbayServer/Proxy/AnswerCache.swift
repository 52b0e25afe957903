package import PatchbayCore
import Synchronization

/// The cached answers of a proxy: recently used ones in memory, all in the storage.
///
/// Answers are written shortly after they were sent, many in one transaction. A killed process loses the newest ones.
/// Stored answers are always complete, because each is one row. Above the size limit, the least recently used answers
/// are deleted.
package final class AnswerCache: Sendable {
    /// The collections that the store's schema must contain.
    package static let collections = [StoredAnswer.collection, ServerState.collection]

    /// The memory of recently used answers, in bytes.
    private static let recentBytesMax = 32 << 20
    /// The maximum number of answers of an address for one client, which differ by language or version.
    static let variantsMax = 16
    /// The maximum number of partitions of an address that compete with each other (``AnswerOwner/client``).
    static let partitionsMax = 64
    /// The interval of checks whether another process has cleared the cache.
    private static let lookInterval = Duration.seconds(1)
    /// The time for which the storage is not read after it could not be read.
    private static let restInterval = Duration.seconds(10)
    /// The maximum number of remembered changes, which keep older answers from being saved after them.
    private static let changesMax = 256

    let digest: AnswerDigest
    private let archive: AnswerArchive
    private let clock: LayerClock
    private let state: Mutex<State>

    private struct State {
        var recent = RecentAnswers(bytesMax: recentBytesMax)
        var lookedAt: Duration
        /// The storage is not read before this time.
        var restsUntil = Duration.zero
        var clearings: [UInt8]
        var lastChange = 0
        var changes: [(number: Int, paths: Set<UInt128>)] = []

        /// Whether a path is known not to have changed since a change number.
        func isCurrent(_ path: UInt128, since change: Int) -> Bool {
            guard change < lastChange else { return true }
            guard let first = changes.first, first.number <= change + 1 else { return false }
            return !changes.contains { $0.number > change && $0.paths.contains(path) }
        }
    }

    /// - Parameters:
    ///   - store: a writable store with ``collections``.
    ///   - bytesMax: the maximum size in the storage, in bytes.
    ///   - report: called when answers cannot be read or written in time; they are then served from memory.
    package init(
        store: Store, bytesMax: Int, clock: LayerClock, report: @escaping @Sendable (any Error) -> Void
    ) async throws {
        digest = AnswerDigest(secret: try await Self.secret(store))
        archive = AnswerArchive(store: store, bytesMax: bytesMax, clock: clock, report: report)
        self.clock = clock
        state = Mutex(State(lookedAt: clock.uptime(), clearings: try await archive.clearings()))
    }

    /// Writes the waiting answers. Do not use the cache afterwards.
    package func close() async { await archive.flush() }

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
    /// The number of the last change, to be read before a request is sent to the server.
    var lastChange: Int { state.withLock { $0.lastChange } }

    /// Returns the answers of a place; nil when they must be read from the storage.
    func recent(at place: AnswerPlace) -> [StoredAnswer]? {
        let now = clock.uptime()
        return state.withLock { state in
            guard now - state.lookedAt < Self.lookInterval || now < state.restsUntil else { return nil }
            return state.recent.answers(at: place)
        }
    }

    /// Returns the answers of a place; nil when the storage takes too long. Those in memory are all that are known
    /// while the storage cannot be read.
    ///
    /// - Parameter limit: the longest wait for a storage that is late.
    func answers(at place: AnswerPlace, within limit: Duration? = nil) async throws -> [StoredAnswer]? {
        let isResting = state.withLock { clock.uptime() < $0.restsUntil }
        do {
            if !isResting { try await look(within: limit) }
            if let known = state.withLock({ $0.recent.answers(at: place) }) { return known }
            if isResting { return archive.unwritten(at: place) ?? [] }
            return try await stored(at: place, within: limit)
        } catch is StorageDelay {
            // An answer that waits to be stored may not be the only one of its place, but the others are out of reach.
            if let known = inMemory(at: place) { return known }
            archive.report(
                PatchbayError(
                    .busy, "the storage does not answer in time; until it does, requests go to the source"))
            return nil
        } catch is PatchbayError {
            state.withLock { $0.restsUntil = clock.uptime() + Self.restInterval }
            return inMemory(at: place) ?? []
        }
    }

    private func inMemory(at place: AnswerPlace) -> [StoredAnswer]? {
        state.withLock { $0.recent.answers(at: place) } ?? archive.unwritten(at: place)
    }

    private func stored(at place: AnswerPlace, within limit: Duration?) async throws -> [StoredAnswer] {
        let change = lastChange
        let rows = try await archive.rows(at: place, within: limit)
        return state.withLock { state in
            // Answers saved meanwhile are newer.
            if let known = state.recent.answers(at: place) { return known }
            guard state.isCurrent(place.path, since: change) else { return [] }
            state.recent.set(rows, at: place)
            return rows
        }
    }

    /// Records a use of an answer.
    func used(_ answer: StoredAnswer, at now: Timestamp) {
        // A time in the future is unknown.
        guard answer.usedAt > now || answer.usedAt.age(at: now) > AnswerArchive.useInterval else { return }
        var noted = answer
        noted.usedAt = now
        state.withLock { state in
            guard var answers = state.recent.answers(at: answer.place),
                let place = answers.firstIndex(where: { $0.variant == answer.variant })
            else { return }
            answers[place].usedAt = now
            state.recent.set(answers, at: answer.place)
            archive.put(noted)
        }
    }

    /// Forgets all answers when another process has cleared the cache.
    private func look(within limit: Duration?) async throws {
        let now = clock.uptime()
        let isDue = state.withLock { state in
            guard now - state.lookedAt >= Self.lookInterval else { return false }
            state.lookedAt = now
            return true
        }
        if isDue { try await archive.store.soon(within: limit) { _ in try await self.forgetAfterClearing() } }
    }

    private func forgetAfterClearing() async throws {
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
    /// Saves an answer, replacing an older one for the same client.
    ///
    /// - Parameters:
    ///   - isConfirmed: whether only the age of the answer has changed; it is then written less often.
    ///   - change: ``lastChange`` from before the request to the server. An answer that may be older than a change is
    ///     not saved, nor is one that was requested before the saved one.
    func save(_ answer: StoredAnswer, isConfirmed: Bool = false, since change: Int) {
        // The archive is changed under the same lock, so that it cannot put back an answer after a change of its path.
        state.withLock { state in
            guard state.isCurrent(answer.place.path, since: change) else { return }
            let known = state.recent.answers(at: answer.place) ?? archive.unwritten(at: answer.place) ?? []
            if known.contains(where: { $0.variant == answer.variant && $0.isNewer(than: answer) }) { return }
            archive.put(answer, isUrgent: !isConfirmed)
            // Without the others of its place, the answer would hide them; it is read from the storage with them.
            guard var answers = state.recent.answers(at: answer.place) else { return }
            answers.removeAll { $0.variant == answer.variant }
            answers.append(answer)
            if answers.count > Self.variantsMax { archive.delete(answers.removeFirst()) }
            state.recent.set(answers, at: answer.place)
        }
    }

    /// Deletes an answer.
    func remove(_ answer: StoredAnswer) {
        state.withLock { state in
            guard var answers = state.recent.answers(at: answer.place) else { return }
            answers.removeAll { $0.variant == answer.variant }
            state.recent.set(answers, at: answer.place)
        }
        archive.delete(answer)
    }

    /// Deletes all answers of some paths, with any query, and of other pages that they name, and returns when none of
    /// them can be served any more.
    func invalidate(_ paths: Set<String>) async {
        let named = Set(paths.map { digest($0) })
        let paths = named.union(await archive.paths(namedBy: named).map { digest($0) })
        state.withLock { state in
            state.lastChange += 1
            state.changes = (state.changes + [(state.lastChange, paths)]).suffix(Self.changesMax)
            state.recent.remove(paths: paths)
        }
        await archive.delete(paths: paths)
        // An answer may have been read from the storage meanwhile.
        state.withLock { $0.recent.remove(paths: paths) }
    }

    /// The size of a proxy's cache in a storage.
    package struct Content: Hashable, Sendable {
        /// The number of stored answers.
        package var answers = 0
        /// The size of the stored answers, in bytes, as counted against ``ProxyOptions/cacheBytesMax``.
        package var bytes = 0
        /// The last use of the least recently used answer, up to 10 minutes too early; nil without answers.
        package var leastRecentUse: Timestamp?
        /// The last use of the most recently used answer, up to 10 minutes too early; nil without answers.
        package var latestUse: Timestamp?
    }

    /// Returns the size of the cache in a storage.
    package static func content(of store: Store) async throws -> Content {
        try await store.read { reading in
            var content = Content()
            let fields = FieldSet(positions: [StoredAnswer.bytes.position, StoredAnswer.usedAt.position])
            try reading.scan(Query(StoredAnswer.collection, by: StoredAnswer.byUse, fields: fields)) { row in
                content.answers += 1
                content.bytes += StoredAnswer.byteCount(of: row)
                content.leastRecentUse = content.leastRecentUse ?? row[StoredAnswer.usedAt]
                content.latestUse = row[StoredAnswer.usedAt]
                return .next
            }
            return content
        }
    }

    /// Deletes all answers. A running server forgets them within a second.
    ///
    /// - Returns: the number of deleted answers.
    package static func clear(_ store: Store) async throws -> Int {
        try await store.write { writing in
            let count = try writing.reading.count(Query(StoredAnswer.collection))
            try writing.deleteAll(StoredAnswer.self)
            let name = ServerState.clearingsName
            let known = try writing.reading.get(ServerState.self, .text(name))?.value ?? []
            let number = known.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } &+ 1
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
            try writing.put(ServerState(name: name, value: bytes))
            return count
        }
    }
}
