import CPlatform
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import StorageLMDB
import Testing

/// The collections of these tests, in two schema versions.
enum Notes {
    static let byTitle = Index("by_title", .exact(1))
    static let byTitleOnly = Index("by_title_only", .exact(1), unique: true)
    static let first = CollectionSchema(
        "notes", key: 0, indexes: [byTitle], fields: [Field("id", .integer), Field("title", .text)])
    /// Without an index, so that a title may be long.
    static let wide = CollectionSchema(
        "wide", key: 0, fields: [Field("id", .integer), Field("title", .text)])
    static let schema = Schema(version: 1, [first, wide])

    /// The later version: a new collection, index and field, and a removed index.
    static let second = CollectionSchema(
        "notes", key: 0, indexes: [byTitleOnly],
        fields: [Field("id", .integer), Field("title", .text), Field("body", .text, isOptional: true)])
    static let tags = CollectionSchema("tags", key: 0, fields: [Field("name", .text)])
    static let laterSchema = Schema(version: 2, [second, tags])

    /// Runs `body` with an open storage over `path`, and closes it.
    static func open<Result>(
        _ path: String, _ schema: Schema = Notes.schema, sizeMiBMax: Int = LMDBStorage.sizeMiBUsual,
        _ body: (LMDBStorage) async throws -> Result
    ) async throws -> Result {
        let storage = LMDBStorage(path: path, durability: .off, sizeMiBMax: sizeMiBMax)
        try await storage.open(schema)
        do {
            let result = try await body(storage)
            try await storage.close()
            return result
        } catch {
            try? await storage.close()  // the first error says more
            throw error
        }
    }

    static func put(
        _ storage: LMDBStorage, _ notes: [(Int64, String)], in collection: CollectionSchema = first
    ) async throws {
        try await storage.put(notes.map { [.integer($0), .text($1)] }, in: collection)
    }

    /// Puts rows with texts of the given length, in bytes.
    static func putBodies(_ storage: LMDBStorage, _ ids: [Int64], length: Int) async throws {
        let text = String(repeating: "x", count: length)
        try await put(storage, ids.map { ($0, text) }, in: wide)
    }

    static func titles(
        _ storage: LMDBStorage, by index: Index? = nil, in collection: CollectionSchema = first
    ) async throws -> [String] {
        try await storage.read { reader in
            var titles: [String] = []
            try reader.scan(Query(collection, by: index)) {
                titles.append($0.text(1))
                return .next
            }
            return titles
        }
    }

    /// Replaces a text in a row or, if `isIndex`, in an index entry.
    static func damage(_ path: String, _ text: String, replacement: String, isIndex: Bool) throws {
        var bytes = try Disk.read(path + "/data.mdb")
        let wanted = Array(text.utf8)
        var count = 0
        for start in 0..<(bytes.count - wanted.count - 1) where bytes[start] == wanted[0] {
            guard bytes[start..<start + wanted.count].elementsEqual(wanted) else { continue }
            // In an index entry the text is followed by a zero and the key, in a row by the seal.
            guard (bytes[start + wanted.count] == 0) == isIndex else { continue }
            bytes.replaceSubrange(start..<start + wanted.count, with: Array(replacement.utf8))
            count += 1
        }
        try #require(count > 0)
        try Disk.write(bytes, to: path + "/data.mdb")
    }

    /// Writes a number into bytes, lowest byte first.
    static func store(_ number: UInt64, in bytes: inout [UInt8], at offset: Int) {
        for place in 0..<8 {
            bytes[offset + place] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))
        }
    }

    /// The code of the error that a call throws.
    static func code(of call: () async throws -> Void) async -> PatchbayError.Code? {
        await fault(call)?.code
    }
}

/// Reads and changes files in tests.
enum Disk {
    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = unsafe creat(path, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress! + written, $0.count - written, off_t(written))
            }
            try #require(count > 0)
            written += count
        }
    }

    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        try #require(count == bytes.count)
        return bytes
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func makeFolder(_ path: String) throws { try #require(unsafe mkdir(path, 0o700) == 0) }

    static func names(_ path: String) -> [String] { FileSystem.names(in: path) ?? [] }

    static func remove(_ path: String) { unsafe unlink(path) }

    /// Runs a shell command and returns its exit status and output.
    static func run(_ command: String) -> (status: Int32, output: String) {
        guard let pipe = unsafe popen(command + " 2>&1", "r") else { return (-1, "") }
        var output: [UInt8] = []
        while case let byte = unsafe fgetc(pipe), byte != EOF {
            output.append(UInt8(truncatingIfNeeded: byte))
        }
        return unsafe (pclose(pipe), String(decoding: output, as: UTF8.self))
    }
}
