import PatchbayCore

/// How a connection reaches the files.
enum Reach: Sendable, Hashable {
    case writing
    /// Reads beside writers, under their locks. The log's index is read as it stands, never written.
    case shared
    /// Reads the database alone: there is no log, nobody has the files open, and nothing is locked.
    case alone
    /// Reads a log that nobody has open through an index in memory of its own; nothing is locked.
    case aloneWithLog

    /// What it takes in the address of the file, and right after opening.
    var parameters: String {
        switch self {
        case .writing: "mode=rw"
        case .shared: "mode=ro&readonly_shm=1"
        case .alone: "mode=ro&immutable=1"
        case .aloneWithLog: "mode=ro&vfs=unix-none"
        }
    }

    /// Keeps the log's index in memory of the connection.
    var isExclusive: Bool { self == .aloneWithLog }
    var isLocked: Bool { self == .writing || self == .shared }
}

/// The files of a database that is read without writing anything: how to reach them, and how to see that they are
/// still those that were looked at.
///
/// SQLite reads under locks only beside an index of the log, which it would make. Where nobody has the files open,
/// there is none; then they are read without locks, and looked at once more afterwards.
struct ReadingState: Hashable, Sendable {
    let reach: Reach
    /// What tells the files from any others; without locks, also their sizes and times.
    private let database: FileStamp
    private let log: FileStamp?
    private let path: String

    /// - Throws: `notFound` when the database is no longer there.
    init(_ path: String) throws {
        let files = DatabaseFile(path: path)
        guard let database = try files.stamp("") else { throw StoragePlace.hasGone(path) }
        let log = try files.stamp("-wal").flatMap { $0.bytes == 0 ? nil : $0 }
        let hasJournal = try files.stamp("-journal").map { $0.bytes > 0 } ?? false
        if log == nil {
            // A journal belongs to a write that was not finished, which SQLite then finds under its locks.
            reach = hasJournal ? .shared : .alone
        } else {
            reach = try files.stamp("-shm") == nil ? .aloneWithLog : .shared
        }
        self.path = path
        self.database = reach.isLocked ? database.identityOnly : database
        self.log = reach.isLocked ? nil : log
    }

    /// Throws `busy` when somebody has changed the files that were read without locks.
    func checkStands() throws {
        guard !reach.isLocked, try ReadingState(path) != self else { return }
        throw PatchbayError(
            .busy, "another process began to write to \"\(path)\" while it was read; try again",
            ["file": path])
    }

    /// Runs what reads, and checks afterwards that it has read one moment.
    func guarding<Result>(_ body: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch let error as PatchbayError {
            try checkStands()
            throw error
        }
        try checkStands()
        return result
    }
}

/// What the file system says of a file: which one it is, how large, when it was changed last.
struct FileStamp: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
    let bytes: Int
    let seconds: Int
    let nanoseconds: Int

    var identityOnly: FileStamp {
        FileStamp(device: device, number: number, bytes: 0, seconds: 0, nanoseconds: 0)
    }
}
