import PatchbayCore
import Synchronization

/// Creates runs: in the folder of the index files, all of which can be rebuilt from the data, or in memory when the
/// storage is open for reading.
final class RunFolder: Sendable {
    private struct State {
        var lastNumber: UInt64
        /// The number of the first run that each hold keeps.
        var heldFrom: [Hold: UInt64] = [:]
        var lastHold: UInt64 = 0
    }

    /// Nil when runs stay in memory.
    let files: Folder?
    private let isSynced: Bool
    private let state: Mutex<State>

    /// - Parameter isSynced: whether a run must be on the disk before it is used.
    init(_ files: Folder, isSynced: Bool) throws {
        self.files = files
        self.isSynced = isSynced
        let last = try files.names().compactMap(FileName.runNumber).max() ?? 0
        state = Mutex(State(lastNumber: last))
    }

    /// Creates a run folder that keeps its runs in memory.
    ///
    /// - Parameter number: the number of the last run in use.
    init(after number: UInt64) {
        files = nil
        isSynced = false
        state = Mutex(State(lastNumber: number))
    }

    /// Starts a run under a new number.
    ///
    /// - Parameter entryCount: the number of entries that it will have, or an upper bound.
    func makeWriter(_ sole: SolePart, entryCount: Int) throws -> RunWriter {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let filter = sole.fields.isEmpty ? nil : KeyFilter(entryCount: entryCount)
        return try RunWriter(number, in: files, sole, filter)
    }

    /// Merges the entries in memory and runs, the newest first, into a new run; nil when no entry is left.
    ///
    /// - Parameter stop: ends the work when it is set.
    func write(
        _ delta: Delta, _ runs: ArraySlice<Run>, keepDeleted: Bool, _ sole: SolePart, _ stop: StopFlag? = nil
    ) throws -> Run? {
        let entryCount = runs.reduce(delta.count) { $0 + $1.entryCount }
        var writer = try makeWriter(sole, entryCount: entryCount)
        do {
            var cursor = try MergeCursor(delta, runs, KeyRange(), .ascending)
            while let place = try keepDeleted ? cursor.nextEntry() : cursor.next() {
                try stop?.check()
                try writer.append(cursor.key, place)
            }
            return try writer.finish(sync: isSynced)
        } catch {
            // Its space may be needed. If this fails, the next checkpoint removes the file.
            try? writer.remove()
            throw error
        }
    }

    /// A claim on runs that no checkpoint lists.
    struct Hold: Hashable { fileprivate let number: UInt64 }

    /// Keeps the runs made from now on, which no checkpoint lists yet, until ``release(_:)``.
    func hold() -> Hold {
        state.withLock { state in
            state.lastHold += 1
            let hold = Hold(number: state.lastHold)
            state.heldFrom[hold] = state.lastNumber + 1
            return hold
        }
    }

    /// Releases a hold; releasing it twice does nothing.
    func release(_ hold: Hold) { state.withLock { $0.heldFrom[hold] = nil } }

    /// Removes the runs that are not in use; readers that still have one open keep its bytes.
    func removeAll(but used: Set<UInt64>) throws {
        guard let files else { return }
        let border = state.withLock { $0.heldFrom.values.min() } ?? .max
        for name in try files.names() {
            guard let number = FileName.runNumber(name), number < border, !used.contains(number) else {
                continue
            }
            try files.remove(name)
        }
    }
}
