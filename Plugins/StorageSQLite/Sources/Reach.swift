import PatchbayCore
import PatchbaySystem

/// How a connection accesses the files.
enum Reach: Sendable, Hashable {
    case writing
    /// Reads alongside writers, under their locks. The log's index is used in its present state and never written.
    case shared
    /// Reads only the database, because its log has no pages. A writer that comes meanwhile appends to a new log, and
    /// the lock of ``Connection/holdFile()`` keeps it from moving that into the database when it closes it.
    case alone
    /// Reads a log that no process has open, with an index of the log in private memory; nothing is locked.
    case aloneWithLog

    /// The parameters of the file's URI.
    var parameters: String {
        switch self {
        case .writing: "mode=rw"
        case .shared: "mode=ro&readonly_shm=1"
        case .alone: "mode=ro&immutable=1"
        case .aloneWithLog: "mode=ro&vfs=unix-none"
        }
    }

    /// Whether the log's index is kept in the connection's memory.
    var isExclusive: Bool { self == .aloneWithLog }
    var isLocked: Bool { self == .writing || self == .shared }
}

/// The state of the files of a database that is read without writing anything: how to access them, and how to detect
/// that they have changed.
///
/// SQLite can read under its locks only if there is an index of the log, which it would create. When no process has the
/// files open, the index does not exist; then they are read without these locks and compared with this state
/// afterwards.
struct ReadingState: Hashable, Sendable {
    let reach: Reach
    private let identity: FileStatus.Identity
    /// The states of the database and the log when they are read without locks.
    private let database, log: FileStatus.Stamp?
    private let path: String

    /// - Throws: `notFound` when the database does not exist any more.
    init(_ path: String) throws {
        let files = DatabaseFile(path: path)
        guard let database = try files.status("") else { throw StoragePlace.removed(path) }
        let log = try files.log.map(\.stamp)
        let hasJournal = try files.status("-journal").map { $0.bytes > 0 } ?? false
        if log == nil {
            // A journal belongs to an unfinished write, which SQLite handles under its locks.
            reach = hasJournal ? .shared : .alone
        } else {
            reach = try files.status("-shm") == nil ? .aloneWithLog : .shared
        }
        self.path = path
        identity = database.identity
        self.database = reach.isLocked ? nil : database.stamp
        self.log = reach.isLocked ? nil : log
    }

    /// Whether the files are still in this state.
    ///
    /// - Throws: `notFound` when the database does not exist any more.
    func isCurrent() throws -> Bool { try ReadingState(path) == self }

    /// Whether what was read without SQLite's locks is one state of the database. A log that has appeared meanwhile
    /// does not matter as long as its pages are not in the database.
    private func isSnapshot() throws -> Bool {
        guard reach == .alone else { return try isCurrent() }
        guard let status = try DatabaseFile(path: path).status("") else { throw StoragePlace.removed(path) }
        return status.stamp == database
    }

    /// Throws `busy` when another process has changed the files while they were read without locks.
    func checkReachable() throws {
        guard !reach.isLocked, try !isSnapshot() else { return }
        throw PatchbayError(
            .busy, "another process began to write to \"\(path)\" while it was read; try again",
            [.file(path)])
    }

    /// Runs a read, and checks afterwards that the files did not change during it.
    func guarding<Result>(_ body: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch let error as PatchbayError {
            try checkReachable()
            throw error
        }
        try checkReachable()
        return result
    }
}
