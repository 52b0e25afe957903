import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("lines")
struct LineTests {
    static let texts = [
        "", "plain", "seven77", "eight888", "nine99999", #"quote " backslash \ slash /"#,
        "line\nfeed\ttab\r\u{8}\u{C}",
        "\u{1B}[31mred\u{7F}\u{9B}", "separators \u{2028}\u{2029}", "four bytes \u{1F600}\u{10FFFF}",
        "caf\u{E9} NFC", "cafe\u{301} NFD", "\u{FEFF}bom", #""_deleted":true,"#, #","_crc":"00000000"}"#,
        String(repeating: "long \" ", count: 5000), "0123456\"", "01234567\\", "\u{1}",
    ]

    @Test("any text reads back byte for byte", arguments: texts)
    func text(_ text: String) throws {
        let note = Notes.Note(1, text, blob: Array(text.utf8))
        #expect(try LineTests.roundTrip(note) == note)
    }

    @Test(
        "integers read back exactly",
        arguments: [
            0, 1, -1, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53), -(1 << 53) - 1, 999_999_999_999_999_999,
        ] as [Int64])
    func integer(_ value: Int64) throws {
        let note = Notes.Note(value)
        #expect(try LineTests.roundTrip(note) == note)
    }

    @Test("integers of every length are written as digits and read back")
    func everyLength() throws {
        var generator = SeededGenerator.fromEnvironment()
        var magnitudes: [UInt64] = [0], power: UInt64 = 1
        for _ in 1...16 {
            magnitudes += [
                power - 1, power, power + 1, UInt64.random(in: power...(power * 9), using: &generator),
            ]
            power *= 10
        }
        for value in magnitudes.map(Int64.init) where value <= 1 << 53 {
            for note in [Notes.Note(value), Notes.Note(-value)] {
                #expect(try LineTests.line(note).hasPrefix("{\"id\":\(note.id),"), "seed \(generator.seed)")
                #expect(try LineTests.roundTrip(note) == note, "seed \(generator.seed)")
            }
        }
    }

    @Test("any characters at any position are escaped where other readers need it, and read back")
    func anyCharacters() throws {
        var generator = SeededGenerator.fromEnvironment()
        let characters: [Unicode.Scalar] = [
            "a", "z", " ", "~", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{8}", "\u{C}", "\u{1F}", "\u{7F}",
            "\u{80}", "\u{9F}",
            "\u{A0}", "\u{BF}", "\u{C0}", "\u{7FF}", "\u{800}", "\u{E01}", "\u{1EBF}", "\u{1FFF}", "\u{2000}",
            "\u{2028}",
            "\u{2029}", "\u{2030}", "\u{2615}", "\u{3042}", "\u{D7FF}", "\u{FEFF}", "\u{FFFD}", "\u{10000}",
            "\u{10FFFF}",
        ]
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            let isPlain = Bool.random(using: &generator)
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                let isLetter = isPlain && Int.random(in: 0..<8, using: &generator) > 0
                text.append(isLetter ? "e" : characters.randomElement(using: &generator) ?? "e")
            }
            let note = Notes.Note(1, String(text))
            let start = "{\"id\":1,\"title\":\"\(text.map(LineTests.escaped).joined())\",\"slug\""
            #expect(try LineTests.line(note).utf8.starts(with: start.utf8), "seed \(generator.seed)")
            #expect(try LineTests.roundTrip(note) == note, "seed \(generator.seed)")
        }
    }

    @Test(
        "reals read back bit for bit",
        arguments: [
            0, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity, .infinity, 1.0 / 3,
            123456789.125, 1e21,
        ])
    func real(_ value: Double) throws {
        #expect(try LineTests.roundTrip(Notes.Note(1, weight: value)).weight?.bitPattern == value.bitPattern)
    }

    @Test("bytes of any length read back")
    func bytes() throws {
        for count in 0..<70 {
            let blob = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
            #expect(try LineTests.roundTrip(Notes.Note(1, blob: blob)).blob == blob)
        }
    }

    @Test("integers beyond 2^53 are strings, so that no reader rounds them")
    func largeIntegers() throws {
        #expect(try LineTests.line(Notes.Note(1 << 53 + 1)).hasPrefix(#"{"id":"9007199254740993","slug""#))
        #expect(try LineTests.line(Notes.Note(1 << 53)).hasPrefix(#"{"id":9007199254740992,"slug""#))
    }

    @Test("flipping any bit of a line, or moving the line, is detected")
    func checksum() throws {
        let buffer = try LineTests.sealed(Notes.Note(7, "seven"), at: 4096)
        #expect(unsafe Line.isSound(buffer.base, buffer.count, at: 4096, generation: 5))
        #expect(unsafe !Line.isSound(buffer.base, buffer.count, at: 4097, generation: 5))
        #expect(unsafe !Line.isSound(buffer.base, buffer.count, at: 4096, generation: 6))
        for bit in 0..<(buffer.count * 8) {
            let old = unsafe buffer.base.load(fromByteOffset: bit / 8, as: UInt8.self)
            unsafe buffer.base.storeBytes(
                of: old ^ 1 << UInt8(bit % 8), toByteOffset: bit / 8, as: UInt8.self)
            #expect(unsafe !Line.isSound(buffer.base, buffer.count, at: 4096, generation: 5))
            unsafe buffer.base.storeBytes(of: old, toByteOffset: bit / 8, as: UInt8.self)
        }
    }

    @Test("a line that was truncated or changed anywhere never makes the parser read outside it")
    func hostileLines() throws {
        let buffer = try LineTests.sealed(Notes.Note(-7, "a\"b", weight: 0.5, blob: [1, 2, 3]), at: 0)
        let row = ByteBuffer()
        let layout = LineLayout(Notes.notes)
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<20_000 {
            let copy = ByteBuffer()
            unsafe copy.append(UnsafeRawBufferPointer(start: buffer.base, count: buffer.count))
            for _ in 0..<3 {
                let at = Int.random(in: 0..<copy.count, using: &generator)
                unsafe copy.base.storeBytes(
                    of: UInt8.random(in: 0...255, using: &generator), toByteOffset: at, as: UInt8.self)
            }
            let count = Int.random(in: (Line.trailerBytes + 1)...copy.count, using: &generator)
            _ = unsafe LineParser.parse(copy.base, count, layout, .all, into: row)
            #expect(row.count <= row.capacity, "seed \(generator.seed)")
        }
    }

    @Test(
        "text that is not UTF-8 is refused, and the line before it is kept",
        arguments: [
            [0x61, 0xFF], [0x80], [0xC2], [0xC0, 0x80], [0xE2, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            Array("plain text before ".utf8) + [0xE0, 0x9F, 0xBF, 0x61],
        ] as [[UInt8]])
    func invalidText(_ bad: [UInt8]) throws {
        var builder = RowBuilder()
        builder.begin(Notes.notes)
        builder.set(0, 1 as Int64)
        unsafe builder.set(2, utf8: bad.span.bytes)
        let buffer = ByteBuffer()
        buffer.append("before")
        let writer = LineWriter(LineLayout(Notes.notes))
        let row = try builder.finish()
        do {
            try writer.write(row, to: buffer)
            Issue.record("it was not refused")
        } catch let error as PatchbayError {
            #expect(error.code == .invalidValue)
        }
        #expect(buffer.count == 6)
    }

    @Test("a checksum is written with the hexadecimal digits of its number")
    func hexadecimal() throws {
        for offset in 0..<2000 {
            let buffer = try LineTests.sealed(Notes.Note(1), at: offset)
            let count = buffer.count - Line.trailerBytes
            let checksum = unsafe Line.checksum(buffer.base, count, at: offset, generation: 5)
            let digits = String(checksum, radix: 16)
            let text = String(decoding: buffer.copyBytes().suffix(11).prefix(8), as: UTF8.self)
            #expect(text == String(repeating: "0", count: 8 - digits.utf8.count) + digits)
            #expect(unsafe Line.storedChecksum(buffer.base, buffer.count) == checksum)
        }
    }

    private static func escaped(_ character: Unicode.Scalar) -> String {
        switch character {
        case "\"", "\\": return "\\\(character)"
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\u{8}": return "\\b"
        case "\u{C}": return "\\f"
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{2029}":
            let digits = String(character.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: return String(character)
        }
    }

    private static func sealed(_ note: Notes.Note, at offset: Int) throws -> ByteBuffer {
        var builder = RowBuilder()
        builder.begin(Notes.notes)
        note.write(to: &builder)
        let buffer = ByteBuffer()
        let writer = LineWriter(LineLayout(Notes.notes))
        try writer.write(builder.finish(), to: buffer)
        Line.seal(buffer, from: 0, at: offset, generation: 5)
        return buffer
    }

    private static func line(_ note: Notes.Note) throws -> String {
        try sealed(note, at: 0).withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func roundTrip(_ note: Notes.Note) throws -> Notes.Note {
        let buffer = try sealed(note, at: 0), row = ByteBuffer()
        let outcome = unsafe LineParser.parse(
            buffer.base, buffer.count, LineLayout(Notes.notes), .all, into: row)
        #expect(outcome == .row)
        return row.withBytes { Notes.Note(RowView(unchecked: $0)) }
    }
}
