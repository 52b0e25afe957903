import PatchbayCore
import PatchbayTestKit
import TestSupport
import Testing

/// The small storages that the article File formats shows byte by byte. The tests do not use Patchbay's own code to
/// read what it wrote, but follow the article's description.
enum FileFormats {
    static let article = Article("Sources/Patchbay/Patchbay.docc/FileFormats.md")

    static let users = CollectionSchema(
        "users", key: 0, indexes: [Index("by_login", .caseFolded(1), unique: true)],
        fields: [
            Field("id", .integer), Field("login", .text), Field("followers", .integer, isOptional: true),
        ])

    /// Opens a storage, writes Ada and Bo in one transaction, deletes Bo in another, and closes it.
    static func fill(_ storage: any Storage) async throws {
        try await storage.open(Schema(version: 1, [users]))
        try await storage.write { writer in
            try put(1, "Ada", 7, writer)
            try put(2, "bo", nil, writer)
        }
        _ = try await storage.write { try $0.delete(2, in: users) }
        try await storage.close()
    }

    private static func put(_ id: Int64, _ login: String, _ followers: Int64?, _ writer: any StorageWriter)
        throws
    {
        var builder = RowBuilder()
        builder.begin(users)
        builder.set(0, id)
        builder.set(1, login)
        if let followers { builder.set(2, followers) }
        try writer.put(builder.finish(), in: users)
    }

    static func expect(
        _ text: String, as block: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try article.holds(text, as: block),
            "the block \"\(block)\" of the article differs from \(text); check whether the format was meant to change",
            sourceLocation: sourceLocation)
    }
}

/// CRC-32C bit by bit, as RFC 3720, appendix B.4 defines it.
func crc32c(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82F6_3B78 }
    }
    return ~crc
}

extension FixedWidthInteger {
    /// The bytes in the order that most machines use in memory, the least significant first.
    var littleBytes: [UInt8] { unsafe withUnsafeBytes(of: littleEndian) { unsafe Array($0) } }
    var bigBytes: [UInt8] { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }
}
