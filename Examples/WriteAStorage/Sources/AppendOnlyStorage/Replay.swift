import Patchbay

/// Does again what a file says was done.
struct Replay {
    private let schema: Schema
    private let path: String
    private let collections: [String: Collection]

    init(_ schema: Schema, _ path: String) {
        self.schema = schema
        self.path = path
        collections = Dictionary(
            uniqueKeysWithValues: schema.collections.map { ($0.name, $0.withoutIndexes) })
    }

    /// Where the file's last whole frame ends, and what it lacks.
    struct End {
        var position = 0
        var isNew = true
        var needsSchema = true
    }

    /// Fills the memory with the rows that the file's changes leave.
    ///
    /// The changes are done without indexes, so that an index that is new judges the last state and no earlier one.
    ///
    /// - Throws: `invalidConfiguration` when the file is something else, `corrupted` when it is damaged before its
    ///   end, `unsupported` when its schema is newer or cannot be migrated.
    func run(_ file: [UInt8], into memory: MemoryStorage) async throws -> End {
        let plain = MemoryStorage()
        try await plain.open(schema.withoutIndexes)
        let end = try await plain.write { try changes(of: file, to: $0) }
        for collection in schema.collections {
            try await plain.read { reader in
                var rows: [[UInt8]] = []
                try reader.scan(Query(collections[collection.name]!)) { row in
                    rows.append(row.copyBytes())
                    return .next
                }
                return rows
            }.put(into: memory, collection)
        }
        return end
    }

    private func changes(of file: [UInt8], to writer: any StorageWriter) throws -> End {
        guard !file.isEmpty else { return End() }
        var rest = file[...]
        guard rest.take(JournalFile.header.count)?.elementsEqual(JournalFile.header) == true else {
            if JournalFile.header.starts(with: file) { return End() }
            throw PatchbayError(
                .invalidConfiguration, "\"\(path)\" is no append-only storage; choose another path")
        }
        var end = End(position: JournalFile.header.count, isNew: false)
        while let length = rest.takeNumber(UInt32.self), let checksum = rest.takeNumber(UInt64.self),
            let changes = rest.take(Int(length))
        {
            guard Frame.checksum(changes) == checksum else {
                // The last frame may be one whose bytes did not all reach the disk.
                if rest.isEmpty { break }
                throw damaged(at: changes.startIndex)
            }
            try run(changes, on: writer, &end)
            end.position = changes.endIndex
        }
        return end
    }

    private func run(_ changes: ArraySlice<UInt8>, on writer: any StorageWriter, _ end: inout End) throws {
        var rest = changes
        while !rest.isEmpty {
            let start = rest.startIndex
            guard let kind = rest.takeNumber(UInt8.self).flatMap(Frame.Kind.init),
                let nameLength = rest.takeNumber(UInt8.self), let name = rest.take(Int(nameLength)),
                let length = rest.takeNumber(UInt32.self), let bytes = rest.take(Int(length))
            else { throw damaged(at: start) }
            if kind == .schema {
                end.needsSchema = try migrates(from: String(decoding: bytes, as: UTF8.self))
            } else if let collection = collections[String(decoding: name, as: UTF8.self)] {
                // Rows of a collection that the schema does not name stay in the file, for one that does.
                try run(kind, Array(bytes), collection, on: writer, at: start)
            }
        }
    }

    private func run(
        _ kind: Frame.Kind, _ bytes: [UInt8], _ collection: Collection, on writer: any StorageWriter,
        at position: Int
    ) throws {
        if kind == .deleteAll { return try writer.deleteAll(in: collection) }
        guard Row.check(bytes.span.bytes, collection) == nil else { throw damaged(at: position) }
        let row = Row(unchecked: bytes.span.bytes)
        if kind == .put {
            try writer.put(row, in: collection)
        } else {
            _ = try writer.delete(collection.key(of: row), in: collection)
        }
    }

    /// Whether the schema is another one than that which the file was written under.
    private func migrates(from text: String) throws -> Bool {
        let lines = text.split(separator: "\n").map(String.init)
        guard let version = lines.first.flatMap({ Int($0) }) else { throw damaged(at: 0) }
        guard version <= schema.version else {
            throw PatchbayError(
                .unsupported,
                "\"\(path)\" has schema \(version), and this program knows up to \(schema.version); use a newer one"
            )
        }
        var isOther = version != schema.version
        for line in lines.dropFirst() {
            guard let stored = Collection(definition: line) else { throw damaged(at: 0) }
            guard let wanted = schema.collections.first(where: { $0.name == stored.name }) else { continue }
            if try !wanted.migration(from: stored).isNothing { isOther = true }
        }
        return isOther
    }

    private func damaged(at position: Int) -> PatchbayError {
        PatchbayError(.corrupted, "\"\(path)\" is damaged at byte \(position); restore a backup of it")
    }
}

extension [[UInt8]] {
    fileprivate func put(into memory: MemoryStorage, _ collection: Collection) async throws {
        try await memory.write { writer in
            for bytes in self { try writer.put(Row(unchecked: bytes.span.bytes), in: collection) }
        }
    }
}
