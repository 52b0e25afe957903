import Patchbay

/// The writer. It owns the file and runs on a thread of its own, because it waits for the disk.
actor Journal {
    private let executor = BlockingExecutor(label: "append-only.journal")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    private let durability: Durability
    private var file: JournalFile?
    /// Distinguishes the file from a copy of it.
    private var identity: StorageIdentity?
    /// The reason why the storage cannot be written, or nil when it can.
    private var refusal: PatchbayError?

    init(path: String, durability: Durability) {
        self.path = path
        self.durability = durability
    }

    /// Reads the file into memory, then writes the schema if it has changed.
    ///
    /// - Returns: the schema with all stored collections.
    func open(_ opening: StorageOpening, into memory: MemoryStorage) async throws -> Schema {
        try create(opening)
        let (file, refusal) = try openFile(opening.access)
        do {
            let contents = try file.contents()
            let stored = try StoredSchema(contents, path)
            let schema = opening.schema?.joined(with: stored.schema.collections) ?? stored.schema
            if refusal != nil { try opening.schema?.checkReads(stored.schema) }
            let needsSchema = try refusal == nil && stored.differs(from: schema)
            try await memory.open(schema)
            let end = try await Replay(schema, path).run(contents, into: memory)
            if refusal == nil {
                // The rest is a write that was cut short and never acknowledged.
                try file.cut(to: end)
                if needsSchema { try file.append(Frame(schema).bytes) }
            }
            identity = try StorageIdentity(ofFileAt: path, durability: durability)
            (self.file, self.refusal) = (file, refusal)
            return schema
        } catch {
            file.close()
            try await memory.close()
            throw error
        }
    }

    /// Creates the file if it does not exist and the access allows that. Throws when the path is not a regular file.
    private func create(_ opening: StorageOpening) throws {
        switch try StoragePlace(at: path) {
        case .file(0):
            throw PatchbayError(
                .corrupted, "\"\(path)\" is empty; restore a backup of it, or remove it to start again")
        case .file: return
        case .folder: throw PatchbayError(.invalidConfiguration, "\"\(path)\" is a folder; set a file")
        case .nothing:
            guard opening.access == .creating, let schema = opening.schema else {
                throw StoragePlace.notFound(path)
            }
            try StoragePlace.checkMayBeMade(at: path)
            try JournalFile.make(path, JournalFile.header + Frame(schema).bytes)
        }
    }

    /// Opens the file with the requested access, or for reading if its permissions allow no more.
    private func openFile(_ access: StorageAccess) throws -> (JournalFile, PatchbayError?) {
        if access == .reading {
            return (
                try JournalFile(path: path, durability: durability, mayWrite: false),
                StoragePlace.openForReading(path)
            )
        }
        do {
            return (try JournalFile(path: path, durability: durability, mayWrite: true), nil)
        } catch let refusal as PatchbayError where refusal.code == .permissionDenied {
            return (try JournalFile(path: path, durability: durability, mayWrite: false), refusal)
        }
    }

    /// Runs a transaction in memory and appends its changes to the file before they become visible.
    func write<Result: Sendable>(
        _ memory: MemoryStorage, _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        if let refusal { throw refusal }
        guard let file else { throw PatchbayError.storageNotOpen(path) }
        let identity = identity
        return try await memory.write { writer in
            let noting = NotingWriter(writer, identity)
            let result = try body(noting)
            if !noting.frame.isEmpty { try file.append(noting.frame.bytes) }
            return result
        }
    }

    func describe() throws -> StorageDescription {
        StorageDescription(
            engine: "append-only 1", path: path,
            files: [.init(path: path, bytes: file?.length ?? 0)],
            settings: [.init("durability", durability.rawValue)])
    }

    func close() {
        file?.close()
        (file, refusal) = (nil, nil)
    }
}
