import PatchbayCore
import Synchronization

/// The folder of the index files, all of which can be made anew from the data.
final class RunFolder: Sendable {
    private struct State {
        var lastNumber: UInt64
        /// Runs from this number on are being made by work beside the writer; nil when there is none.
        var heldFrom: UInt64?
    }

    let path: String
    private let disk: Disk
    private let isSynced: Bool
    private let state: Mutex<State>

    /// - Parameter isSynced: whether a run must be on the disk before it is used.
    init(_ path: String, isSynced: Bool, _ disk: Disk) throws {
        self.path = path
        self.disk = disk
        self.isSynced = isSynced
        if try disk.kind(of: path) == .nothing { try disk.makeFolder(path) }
        let last = try disk.names(in: path).compactMap(RunFolder.number).max() ?? 0
        state = Mutex(State(lastNumber: last))
    }

    /// The number in the name of a run.
    private static func number(_ name: String) -> UInt64? {
        name.hasSuffix(".run") ? UInt64(name.dropLast(4)) : nil
    }

    func path(ofRun number: UInt64) -> String { "\(path)/\(number).run" }

    /// Starts a run under a number of its own.
    func makeWriter() throws -> RunWriter {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try RunWriter(path(ofRun: number), number: number, disk)
    }

    /// Merges what is in memory and runs, the newest first, into a new run; nil when nothing is left.
    func write(_ delta: Delta, _ runs: ArraySlice<Run>, keepDeleted: Bool) throws -> Run? {
        let writer = try makeWriter()
        var cursor = try MergeCursor(delta, runs, KeyRange(), .ascending)
        while let place = try keepDeleted ? cursor.nextEntry() : cursor.next() {
            try writer.append(cursor.key, place)
        }
        return try writer.finish(sync: isSynced)
    }

    /// Keeps the runs that are made from now on, which no checkpoint knows yet, until ``release()``.
    func hold() { state.withLock { $0.heldFrom = $0.lastNumber + 1 } }

    func release() { state.withLock { $0.heldFrom = nil } }

    /// Removes the runs that are not among those in use; readers that still hold one keep its map.
    func removeAll(but used: Set<UInt64>) throws {
        let border = state.withLock { $0.heldFrom } ?? .max
        for name in try disk.names(in: path) {
            guard let number = RunFolder.number(name), number < border, !used.contains(number) else {
                continue
            }
            try disk.remove(path(ofRun: number))
        }
    }
}
