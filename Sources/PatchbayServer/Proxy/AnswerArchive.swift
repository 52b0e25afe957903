import PatchbayCore
import Synchronization

/// Stores answers, written in batches.
final class AnswerArchive: Sendable {
    /// The precision of the stored time of last use.
    static let useInterval = Duration.seconds(600)
    /// The time that a change waits for others to be written with it.
    private static let pause = Duration.milliseconds(200)
    /// The minimum time between two writes of an answer's confirmations.
    private static let confirmationInterval = Duration.seconds(60)
    /// The maximum memory of waiting rows, in bytes; further answers are not stored.
    private static let waitingBytesMax = 32 << 20
    /// The minimum time between two reports of failures.
    private static let reportInterval = Duration.seconds(60)

    let store: Store
    private let bytesMax: Int
    private let clock: LayerClock
    private let receive: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    private struct State {
        /// The rows to write, by key; nil deletes the row.
        var waiting: [Key: StoredAnswer?] = [:]
        var waitingBytes = 0
        /// The rows of the write in progress, which may take long.
        var written: [Key: StoredAnswer?] = [:]
        /// The paths whose stored answers must be deleted before anything else is written, each with the number of its
        /// last change.
        var changed: [UInt128: Int] = [:]
        var changeCount = 0
        /// The task that waits before the changes are written.
        var pause: Task<Void, Never>?
        /// The task that writes, and the one that begins after it.
        var writing: Task<Void, Never>?
        var next: Task<Void, Never>?
        /// The times at which confirmations were last written.
        var confirmedAt: [Key: Duration] = [:]
        var reportedAt: Duration?
        /// The stored bytes; nil when they must be counted.
        var storedBytes: Int?
        /// The counter of clearings when it was last read. Rows that waited during a clearing are not written.
        var clearings: [UInt8]?

        /// Replaces the change that waits for a key; does nothing when the row exceeds the memory for waiting rows.
        mutating func wait(to row: StoredAnswer?, _ key: Key) {
            let bytes = waitingBytes - waitingBytes(of: key) + (row?.memoryBytes ?? 0)
            guard row == nil || bytes <= waitingBytesMax else { return }
            waitingBytes = bytes
            waiting[key] = .some(row)
        }

        /// Removes the rows of some paths.
        mutating func remove(paths: Set<UInt128>) {
            for (key, row) in waiting where row.map({ paths.contains($0.place.path) }) ?? false {
                waitingBytes -= waitingBytes(of: key)
                waiting[key] = nil
            }
            written = written.filter { !($0.value.map { paths.contains($0.place.path) } ?? false) }
        }

        /// Whether a stored row is about to be replaced or deleted.
        func isReplaced(_ key: Key) -> Bool {
            waiting.index(forKey: key) != nil || written.index(forKey: key) != nil
        }

        /// The rows of a place that are not stored yet.
        func unwritten(at place: AnswerPlace) -> [StoredAnswer] {
            let older = written.filter { waiting.index(forKey: $0.key) == nil }
            return (Array(waiting.values) + older.values).compactMap { $0 }.filter { $0.place == place }
        }

        private func waitingBytes(of key: Key) -> Int { waiting[key].flatMap { $0 }?.memoryBytes ?? 0 }
    }

    init(
        store: Store, bytesMax: Int, clock: LayerClock, report: @escaping @Sendable (any Error) -> Void
    ) {
        self.store = store
        self.bytesMax = bytesMax
        self.clock = clock
        receive = report
    }

    /// Returns a counter of clearings of the cache, as opaque bytes.
    func clearings() async throws -> [UInt8] {
        let clearings = try await store.read { try $0.clearings() }
        state.withLock { $0.clearings = clearings }
        return clearings
    }

    /// Returns the answers of a place, the oldest first.
    ///
    /// - Parameter limit: the longest wait for a storage that is late.
    /// - Throws: `StorageDelay` instead of waiting longer, and errors of the storage.
    func rows(at place: AnswerPlace, within limit: Duration?) async throws -> [StoredAnswer] {
        let bounds = Bounds.prefix(
            .compound([
                .text(place.path.hexadecimal), .text(place.address.hexadecimal), .text(place.partitionName),
            ]))
        let stored = try await store.soon(within: limit) { store in
            try await store.read { reading in
                try reading.list(StoredAnswer.self, Query(StoredAnswer.collection, bounds, limit: 64))
                    .filter { $0.place == place && $0.hasStoredStatus }
            }
        }
        return newest(
            state.withLock { state in
                stored.filter { !state.isReplaced($0.key) && state.changed[$0.place.path] == nil }
                    + state.unwritten(at: place)
            })
    }

    /// Returns the answers of a place that are not stored yet, the oldest first; nil when there are none.
    func unwritten(at place: AnswerPlace) -> [StoredAnswer]? {
        let rows = state.withLock { $0.unwritten(at: place) }
        return rows.isEmpty ? nil : newest(rows)
    }

    /// The paths of other pages that the answers of some paths name; if the storage is late or cannot be read, only
    /// those that the answers in memory name.
    func paths(namedBy paths: Set<UInt128>) async -> Set<String> {
        let waiting = state.withLock { state in
            (Array(state.waiting.values) + state.written.values).compactMap { $0 }
        }
        var named = Set(waiting.filter { paths.contains($0.place.path) }.flatMap(\.pagePaths))
        // Such answers are then served until they expire.
        let stored = try? await store.soon { store in
            try await store.read { try $0.pagePaths(namedBy: paths) }
        }
        named.formUnion(stored ?? [])
        return named
    }

    private func newest(_ rows: [StoredAnswer]) -> [StoredAnswer] {
        rows.sorted { $0.receivedAt < $1.receivedAt }.suffix(AnswerCache.variantsMax)
    }
}

// MARK: - Changes

extension AnswerArchive {
    /// - Parameter isUrgent: whether to write the row soon; otherwise it is written at most once a minute.
    func put(_ row: StoredAnswer, isUrgent: Bool = true) {
        let key = row.key, now = clock.uptime()
        change { state in
            if !isUrgent, state.waiting[key] == nil {
                if let at = state.confirmedAt[key], now - at < Self.confirmationInterval { return }
                if state.confirmedAt.count > 10_000 { state.confirmedAt = [:] }
                state.confirmedAt[key] = now
            }
            state.wait(to: row, key)
        }
    }

    func delete(_ row: StoredAnswer) { change { $0.wait(to: nil, row.key) } }

    /// Drops the waiting changes.
    func forget() {
        state.withLock { state in
            state.waiting = [:]
            state.written = [:]
            state.waitingBytes = 0
            state.storedBytes = nil
        }
    }

    /// Deletes the answers of some paths, and returns after they have been deleted, or after some time if the storage
    /// is late. If it cannot be written, they are deleted with the next write, and not returned until then.
    func delete(paths: Set<UInt128>) async {
        state.withLock { state in
            state.remove(paths: paths)
            state.storedBytes = nil
            state.changeCount += 1
            for path in paths { state.changed[path] = state.changeCount }
        }
        let writing = write()
        // The only error is that the storage is late.
        try? await store.soon(within: Self.deletionPatience) { _ in await writing.value }
    }

    /// Long, because answers that are not deleted in the storage would return with the next process.
    private static let deletionPatience = Duration.seconds(2)

    /// Writes the waiting changes.
    func flush() async { await write().value }

    /// Reports a failure, unless another one was reported recently.
    func report(_ error: any Error) {
        let now = clock.uptime()
        let isReported = state.withLock { state in
            if let at = state.reportedAt, now - at < Self.reportInterval { return false }
            state.reportedAt = now
            return true
        }
        if isReported { receive(error) }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            guard state.pause == nil, !state.waiting.isEmpty else { return }
            state.pause = Task { [self] in
                // Cancelled when the changes are written earlier.
                guard (try? await clock.sleep(Self.pause)) != nil else { return }
                await flush()
            }
        }
    }

    /// Returns the task that writes the changes that wait now. Tasks run one after another, and at most one waits.
    private func write() -> Task<Void, Never> {
        state.withLock { state in
            if let next = state.next { return next }
            let others = state.writing
            let task = Task {
                await others?.value
                await writeWaiting()
            }
            state.next = task
            return task
        }
    }
}

// MARK: - Transactions

extension AnswerArchive {
    private func writeWaiting() async {
        let (rows, stored, changed, known) = state.withLock { state in
            defer {
                state.writing = state.next
                state.next = nil
                state.written = state.waiting
                state.waiting = [:]
                state.waitingBytes = 0
                state.pause?.cancel()
                state.pause = nil
            }
            return (
                state.waiting, state.changed.isEmpty ? state.storedBytes : nil, state.changed, state.clearings
            )
        }
        if rows.isEmpty, changed.isEmpty { return }
        let written = await writing(after: changed) { [bytesMax] writing in
            let clearings = try writing.reading.clearings()
            if let known, known != clearings { return (try writing.storedBytes(), clearings) }
            var bytes = try stored ?? writing.storedBytes()
            var grown: Set<AnswerPlace> = []
            for (key, row) in rows {
                let before = try writing.bytes(of: key)
                bytes -= before
                if let row, before == 0 { grown.insert(row.place) }
                if let row {
                    try writing.put(row)
                    bytes += row.byteCount
                } else {
                    try writing.delete(StoredAnswer.self, key)
                }
            }
            for place in grown { bytes -= try writing.thin(place) }
            return (bytes > bytesMax ? try writing.makeRoom(bytes, bytesMax) : bytes, clearings)
        }
        state.withLock { state in
            state.written = [:]
            state.storedBytes = written?.0
            state.clearings = written?.1 ?? state.clearings
        }
    }

    /// Returns nil after a failure, which is reported.
    ///
    /// - Parameter changed: the paths to delete first, as they were known when the rows to write were taken. A row that
    ///   is older than a later change is deleted by a later call.
    private func writing<Result: Sendable>(
        after changed: [UInt128: Int], _ body: @Sendable (inout Writing) throws -> Result
    ) async -> Result? {
        do {
            let result = try await store.write { writing in
                for path in changed.keys {
                    let query = Query(StoredAnswer.collection, .equal([.text(path.hexadecimal)]))
                    for key in try writing.keys(query) { try writing.delete(StoredAnswer.self, key) }
                }
                return try body(&writing)
            }
            state.withLock { state in
                if !changed.isEmpty { state.storedBytes = nil }
                state.changed = state.changed.filter { changed[$0.key] != $0.value }
            }
            return result
        } catch {
            report(error)
            return nil
        }
    }
}
