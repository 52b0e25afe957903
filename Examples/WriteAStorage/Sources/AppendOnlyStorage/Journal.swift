import Patchbay

/// The writer: it owns the file and works on a thread of its own, because it waits for the disk.
actor Journal {
    private let executor = BlockingExecutor(label: "append-only.journal")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let path: String
    private let durability: Durability
    private var file: JournalFile?

    init(path: String, durability: Durability) {
        self.path = path
        self.durability = durability
    }

    /// Reads the file into the memory, then writes down the schema when it is another one than before.
    func open(_ schema: Schema, into memory: MemoryStorage) async throws {
        let file = try JournalFile(path: path, durability: durability)
        do {
            let replay = Replay(schema, path)
            let end = try await replay.run(try file.contents(), into: memory)
            // What stands behind the end is a write that was cut short and never acknowledged.
            try file.cut(to: end.position)
            if end.isNew { try file.append(JournalFile.header) }
            if end.needsSchema {
                var frame = Frame()
                frame.note(schema)
                try file.append(frame.bytes)
            }
            self.file = file
        } catch {
            file.close()
            throw error
        }
    }

    /// Runs a transaction in memory and appends what it did, before anybody sees it.
    func write<Result: Sendable>(
        _ memory: MemoryStorage, _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        guard let file else { throw PatchbayError(.internalError, "\"\(path)\" is not open") }
        return try await memory.write { writer in
            let noting = NotingWriter(writer)
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
        file = nil
    }
}
