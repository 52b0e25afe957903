import Foundation
import PatchbayTestKit
import StorageFlatFile
import Testing

@Suite("The files of a flat-file storage")
struct FlatFileFormatTests {
    /// The generation that the article shows; a real one is random.
    private static let shownGeneration: UInt64 = 0x9F3C_5A66_7788_1122

    private let folder: TemporaryDirectory
    private var path: String { folder.path + "/users.flatfile" }

    init() throws { folder = try TemporaryDirectory() }

    @Test("data, schema and checkpoint are the lines that the article shows, each with its checksum")
    func lines() async throws {
        try await FileFormats.fill(FlatFileStorage(path: path))
        let data = try lines("users.jsonl")
        let generation = try #require(drawnGeneration(in: data[0]))
        let shown = try data.enumerated().map { number, line in
            let start = data[..<number].reduce(0) { $0 + $1.utf8.count }
            return try resealed(
                line, at: start, number == 0 ? 0 : generation, as: number == 0 ? 0 : Self.shownGeneration
            ) { $0.replacing(digits(generation), with: digits(Self.shownGeneration)) }
        }
        let schema = try resealed(try lines("schema.json")[0], at: 0, 0, as: 0) { $0 }
        let checksums = (written: try checksum(data.last!), shown: try checksum(shown.last!))
        let checkpoint = try resealed(try lines("index/checkpoint.json")[0], at: 0, 0, as: 0) { text in
            text.replacing("\"\(generation)\"", with: "\"\(Self.shownGeneration)\"").replacing(
                "\"\(checksums.written)\"", with: "\"\(checksums.shown)\"")
        }
        let text =
            ["users.jsonl"] + shown.map { $0.dropLast() }.map(String.init) + ["", "schema.json"]
            + [String(schema.dropLast()), "", "index/checkpoint.json", String(checkpoint.dropLast())]
        try FileFormats.expect(text.joined(separator: "\n"), as: "flatfile")
    }

    @Test("an index file consists of pages, whose checksums are in the checkpoint")
    func pages() async throws {
        try await FileFormats.fill(FlatFileStorage(path: path))
        let bytes = try bytes("index/1.pages"), checkpoint = try lines("index/checkpoint.json")[0]
        for start in stride(from: 0, to: bytes.count, by: 4096) {
            let checksum = crc32c(Array(bytes[start..<(start + 4096)]))
            #expect(checkpoint.contains("\"page\":\"\(start / 4096)\",\"checksum\":\"\(checksum)\""))
        }
        try FileFormats.expect("index/1.pages\n" + dump(bytes), as: "flatfile index")
    }

    /// Describes an index file of leaves, piece by piece.
    private func dump(_ bytes: [UInt8]) -> String {
        var dump = HexDump(bytes)
        while !dump.isAtEnd {
            let start = dump.place
            let count = dump.takeNumber(2) { "page \(start / 4096): \($0) entries" }
            let lowest = dump.takeNumber(2) { "the lowest entry starts at byte \($0)" }
            for slot in 0..<count { dump.takeNumber(2) { "slot \(slot): the entry at byte \($0)" } }
            dump.skip(lowest - 4 - 2 * count, "free")
            for _ in 0..<count {
                dump.takeNumber(8) { "the line's place in the data: byte \($0)" }
                dump.takeNumber(4) { "its length: \($0) bytes" }
                let keyBytes = dump.takeNumber(2) { "\($0) bytes of key" }
                dump.take(keyBytes) { _ in "the key" }
            }
        }
        return dump.text
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    /// Returns the lines of a file, each with its line feed.
    private func lines(_ name: String) throws -> [String] {
        try bytes(name).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) + "\n" }
    }

    private func digits(_ generation: UInt64) -> String {
        let digits = String(generation, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private func drawnGeneration(in header: String) -> UInt64? {
        let parts = header.components(separatedBy: "\"_generation\":\"")
        return parts.count == 2 ? UInt64(parts[1].prefix(16), radix: 16) : nil
    }

    /// Returns the checksum in a line as a number.
    private func checksum(_ line: String) throws -> UInt32 {
        try #require(UInt32(line.dropLast(3).suffix(8), radix: 16))
    }

    /// Checks a line's checksum, edits the line and replaces the checksum with that of the edited line.
    private func resealed(
        _ line: String, at offset: Int, _ generation: UInt64, as shown: UInt64, _ edit: (String) -> String
    ) throws -> String {
        func seal(_ content: String, _ generation: UInt64) -> UInt32 {
            crc32c(generation.littleBytes + UInt64(offset).littleBytes + Array(content.utf8))
        }
        let content = String(line.dropLast(20))
        #expect(try checksum(line) == seal(content, generation), "\(line)")
        let edited = edit(content)
        let digits = String(seal(edited, shown), radix: 16)
        return edited + ",\"_crc\":\"" + String(repeating: "0", count: 8 - digits.count) + digits + "\"}\n"
    }
}
