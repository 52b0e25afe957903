/// The progress of a long operation.
public struct WorkProgress: Sendable, Hashable {
    /// Receives progress, on any thread; must return immediately.
    public typealias Handler = @Sendable (WorkProgress) -> Void

    /// The current task: `building the index by_login of users`.
    public var task: String
    /// The finished part, in the unit of ``total``, which depends on the task: rows, pages, bytes or steps.
    public var done: Int
    /// Nil when unknown.
    public var total: Int?

    /// Whether ``task`` is a sentence that people should read, reported once, instead of a task.
    public var isNotice = false

    /// Creates a notice about the storage, such as "the server has failed over".
    public init(notice: String) {
        self.init(notice, done: 0)
        isNotice = true
    }

    /// Creates a report of progress, whose total is unknown by default.
    public init(_ task: String, done: Int, of total: Int? = nil) {
        self.task = task
        self.done = done
        self.total = total
    }
}

/// A description of a storage, for people.
public struct StorageDescription: Sendable, Hashable {
    /// A file of the storage.
    public struct File: Sendable, Hashable {
        /// The path of the file.
        public var path: String
        /// The space that the file takes on the disk; less than its length if it has holes.
        public var bytes: Int

        /// Creates a file's entry; `bytes` is its space on the disk.
        public init(path: String, bytes: Int) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// An effective setting, as the engine reports it: `journal_mode`, `wal`.
    public struct Setting: Sendable, Hashable {
        /// The engine's name of the setting.
        public var name: String
        /// The value in the engine's notation.
        public var value: String

        /// Creates a setting from its name and value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A property of the engine or its settings that endangers rows or slows work down; `patchbay doctor` warns about
    /// it.
    public struct Concern: Sendable, Hashable {
        /// The problem and its possible consequences.
        public var finding: String
        /// What to do.
        public var advice: String

        /// Creates a concern from a finding and the advice on it.
        public init(_ finding: String, _ advice: String) {
            self.finding = finding
            self.advice = advice
        }
    }

    /// The engine with its version: `SQLite 3.40.1`.
    public var engine: String
    /// The location: the file or folder that ``Storage/backup(to:progress:)`` copies, or a schema with its server; nil
    /// for a storage in memory.
    public var path: String?
    /// The files that contain the storage; empty in memory or on a server.
    public var files: [File]
    /// The settings that affect durability, sharing or speed, in the order to show them.
    public var settings: [Setting]
    /// Empty when there are none.
    public var concerns: [Concern] = []

    /// Creates a description without concerns.
    public init(engine: String, path: String? = nil, files: [File] = [], settings: [Setting] = []) {
        self.engine = engine
        self.path = path
        self.files = files
        self.settings = settings
    }
}

/// A place where stored bytes are damaged.
public struct StorageFault: Sendable, Hashable {
    /// Nil when the storage has no file, or the fault is not in a single one.
    public var file: String?
    /// The place in the file, in the terms of the storage: `page 17`, `line 3, byte 1204`.
    public var place: String?
    /// The damage, as one line for people.
    public var message: String

    /// Creates a fault; without a file and a place, it concerns the storage as a whole.
    public init(file: String? = nil, place: String? = nil, _ message: String) {
        self.file = file
        self.place = place
        self.message = message
    }
}

extension Storage {
    /// Opens the storage for reading and writing; creates it when it does not exist.
    public func open(_ schema: Schema, progress: @escaping WorkProgress.Handler = { _ in }) async throws {
        try await open(StorageOpening(schema, progress: progress))
    }

    /// Returns no faults, for a storage whose own format has nothing to check.
    public func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] { [] }

    /// Does nothing, for a storage that never has space to release.
    public func compact(progress: WorkProgress.Handler) async throws {}

    /// Throws `unsupported`, for a storage that consists of files.
    public func erase() async throws {
        throw PatchbayError(.unsupported, "this storage consists of files; remove them to erase it")
    }

    /// Throws `unsupported`, for a storage without ``StorageFeatures/backup``.
    public func backup(to path: String, progress: WorkProgress.Handler) async throws {
        throw PatchbayError(.unsupported, "this storage cannot back itself up; export or copy it instead")
    }
}
