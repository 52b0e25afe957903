import PatchbayCore
import Synchronization

/// Creates runs in the folder of the index files, all of which can be rebuilt from the data.
final class RunFolder: Sendable {
    private struct State {
        var lastNumber: UInt64
        /// The number of the first run that is kept although no checkpoint lists it.
        var heldFrom = UInt64.max
    }

    let files: Folder
    private let isSynced: Bool
    private let state: Mutex<State>

    /// - Parameter isSynced: whether a run must be on the disk before it is used.
    init(_ files: Folder, isSynced: Bool) throws {
        self.files = files
        self.isSynced = isSynced
        let last = try files.names().compactMap(FileName.runNumber).max() ?? 0
        state = Mutex(State(lastNumber: last))
    }

    /// Merges the entries in memory and runs, the newest first, into a new run; nil when no entry is left.
    ///
    /// - Parameter stop: ends the work when it is set.
    func write(
        _ delta: Delta, _ runs: ArraySlice<Run>, keepDeleted: Bool, _ sole: SolePart, _ stop: StopFlag? = nil
    ) throws -> Run? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let entryCount = runs.reduce(delta.count) { $0 + $1.entryCount }
        let filter = sole.fields.isEmpty ? nil : KeyFilter(entryCount: entryCount)
        var writer = try RunWriter(number, in: files, sole, filter)
        do {
            var cursor = try MergeCursor(delta, runs, KeyRange(), .ascending)
            while let place = try keepDeleted ? cursor.nextEntry() : cursor.next() {
                try stop?.check()
                try unsafe writer.append(cursor.key, place)
            }
            return try writer.finish(sync: isSynced)
        } catch {
            // Its space may be needed. If this fails, the next checkpoint removes the file.
            try? writer.remove()
            throw error
        }
    }

    /// Keeps the runs made from now on, which no checkpoint lists yet, until ``release()``.
    func hold() { state.withLock { $0.heldFrom = $0.lastNumber + 1 } }

    /// Ends ``hold()``.
    func release() { state.withLock { $0.heldFrom = .max } }

    /// Removes the runs that are not in use; readers that still have one open keep its bytes.
    func removeAll(but used: Set<UInt64>) throws {
        let border = state.withLock { $0.heldFrom }
        for name in try files.names() {
            guard let number = FileName.runNumber(name), number < border, !used.contains(number) else {
                continue
            }
            try files.remove(name)
        }
    }
}
