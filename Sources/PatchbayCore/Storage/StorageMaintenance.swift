/// How far a long operation has come.
public struct WorkProgress: Sendable, Hashable {
    /// Takes what is told, from any thread; must return at once.
    public typealias Handler = @Sendable (WorkProgress) -> Void

    /// What is being done, to what: `building the index by_login of users`.
    public var task: String
    public var done: Int
    /// Nil when nobody knows.
    public var total: Int?

    public init(_ task: String, done: Int, of total: Int? = nil) {
        self.task = task
        self.done = done
        self.total = total
    }
}

/// What a storage says about itself, for people.
public struct StorageDescription: Sendable, Hashable {
    /// A file on the disk that the storage keeps.
    public struct File: Sendable, Hashable {
        public var path: String
        /// What the file takes on the disk; of a file with holes, less than its length.
        public var bytes: Int

        public init(path: String, bytes: Int) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// A setting that is in force, as the engine itself says: `journal_mode`, `wal`.
    public struct Setting: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Something about the engine or its settings that endangers rows or slows work down; `patchbay doctor` warns of
    /// it.
    public struct Concern: Sendable, Hashable {
        /// What is so, and what may come of it.
        public var finding: String
        /// What to do about it.
        public var advice: String

        public init(_ finding: String, _ advice: String) {
            self.finding = finding
            self.advice = advice
        }
    }

    /// The engine with its version: `SQLite 3.40.1`.
    public var engine: String
    /// Where it is: the file or folder that ``Storage/backup(to:progress:)`` copies, or a schema with its server; nil
    /// when the storage is nowhere.
    public var path: String?
    public var files: [File]
    public var settings: [Setting]
    /// Empty when all is as it should be.
    public var concerns: [Concern] = []

    public init(engine: String, path: String? = nil, files: [File] = [], settings: [Setting] = []) {
        self.engine = engine
        self.path = path
        self.files = files
        self.settings = settings
    }
}

/// A place where stored bytes are not what was written.
public struct StorageFault: Sendable, Hashable {
    /// Nil when the storage has no file, or the fault lies in no single one.
    public var file: String?
    /// Where in the file, in the words of the storage: `page 17`, `line 3, byte 1204`.
    public var place: String?
    public var message: String

    public init(file: String? = nil, place: String? = nil, _ message: String) {
        self.file = file
        self.place = place
        self.message = message
    }
}

extension Storage {
    /// Opens the storage for reading and writing; creates it when nothing is there.
    public func open(_ schema: Schema, progress: @escaping WorkProgress.Handler = { _ in }) async throws {
        try await open(StorageOpening(schema, progress: progress))
    }

    public func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] { [] }

    public func compact(progress: WorkProgress.Handler) async throws {}

    public func erase() async throws {
        throw PatchbayError(.unsupported, "this storage keeps files; remove them to erase it")
    }

    public func backup(to path: String, progress: WorkProgress.Handler) async throws {
        throw PatchbayError(.unsupported, "this storage cannot back itself up; export or copy it instead")
    }
}
