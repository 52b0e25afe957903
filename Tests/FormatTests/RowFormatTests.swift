import PatchbayCore
import Testing

@Suite("The bytes of a row and of a key")
struct RowFormatTests {
    @Test("a packed row is a header, a slot per field, and the text")
    func row() throws {
        var builder = RowBuilder()
        builder.begin(FileFormats.users)
        builder.set(0, 1 as Int64)
        builder.set(1, "Ada")
        let bytes = try builder.finish().copyBytes()
        #expect(
            bytes == [3, 0, 4, 0, 0, 0, 0, 0] + UInt64(1).littleBytes + (UInt64(3) << 32 | 32).littleBytes
                + UInt64(0).littleBytes + Array("Ada".utf8))
        var dump = HexDump(bytes)
        let fields = dump.takeNumber(1) { "\($0) fields" }
        dump.take(1) { "null bits of fields 48 to 55 (\($0.first!))" }
        dump.take(6) {
            "null bits of the others, the lowest for the first: here the third is null (\($0.first!))"
        }
        dump.takeNumber(8) { "id: \($0)" }
        let slot = dump.takeNumber(8) { "login: \($0 >> 32) bytes from byte \($0 & 0xFFFF_FFFF)" }
        dump.takeNumber(8) { "followers: null, its slot is \($0)" }
        dump.take(slot >> 32) { String(decoding: $0, as: UTF8.self) }
        #expect(fields == 3 && dump.isAtEnd)
        try FileFormats.expect(dump.text, as: "row")
    }

    @Test("a key is the concatenation of its parts, and memcmp orders keys")
    func key() throws {
        func encoded(_ key: Key, in index: Index) throws -> [UInt8] {
            var bytes: [UInt8] = []
            try FileFormats.users.appendKey(key, in: index, to: &bytes)
            return bytes
        }
        let primary = try encoded(-2, in: FileFormats.users.primaryKey)
        #expect(primary == (UInt64(bitPattern: -2) ^ 1 << 63).bigBytes)
        let entry = try encoded(.compound(["Ada", 1]), in: FileFormats.users.indexes[0])
        #expect(entry == Array("ada".utf8) + [0] + (1 | UInt64(1) << 63).bigBytes)
    }
}
