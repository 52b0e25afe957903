import PatchbayJSON
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    private func text(indentation: Int? = nil, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(indentation: indentation)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func writeSample(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("login")
        writer.string("octocat")
        writer.key(String("id"))
        writer.integer(-583231)
        writer.key("score")
        writer.real(1.5)
        writer.key("flags")
        writer.beginArray()
        writer.bool(true)
        writer.bool(false)
        writer.null()
        writer.endArray()
        writer.key("empty")
        writer.beginObject()
        writer.endObject()
        writer.endObject()
    }

    @Test("commas and colons are placed by the writer")
    func compact() {
        #expect(
            text { writeSample(to: &$0) }
                == #"{"login":"octocat","id":-583231,"score":1.5,"flags":[true,false,null],"empty":{}}"#)
    }

    @Test("with an indentation there is one item per line")
    func pretty() {
        #expect(
            text(indentation: 2) { writeSample(to: &$0) } == """
                {
                  "login": "octocat",
                  "id": -583231,
                  "score": 1.5,
                  "flags": [
                    true,
                    false,
                    null
                  ],
                  "empty": {}
                }
                """)
    }

    @Test("a new line starts a new text without a comma")
    func lines() {
        let lines = text { writer in
            for id in [1, 2] as [Int64] {
                writer.beginObject()
                writer.key("id")
                writer.integer(id)
                writer.endObject()
                writer.newline()
            }
        }
        #expect(lines == "{\"id\":1}\n{\"id\":2}\n")
    }

    @Test("reset empties the buffer, keeps its capacity and starts a new text")
    func reset() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(String(repeating: "a", count: 1000))
        let capacity = writer.bytes.capacity
        writer.reset()
        #expect(writer.bytes.isEmpty && writer.bytes.capacity == capacity)
        writer.integer(1)
        #expect(writer.bytes == Array("1".utf8))
    }

    @Test("characters that a terminal or a script could interpret are escaped")
    func escapes() {
        #expect(text { $0.string("\"\\\u{8}\u{C}\n\r\t") } == #""\"\\\b\f\n\r\t""#)
        #expect(text { $0.string("\u{0}\u{1}\u{1B}[31m\u{1F}") } == #""\u0000\u0001\u001b[31m\u001f""#)
        #expect(text { $0.string("\u{7F}\u{80}\u{9B}31m\u{9F}") } == #""\u007f\u0080\u009b31m\u009f""#)
        #expect(text { $0.string("a\u{2028}\u{2029}b") } == #""a\u2028\u2029b""#)
        #expect(text { $0.string("\u{A0}\u{2027}\u{202A}") } == "\"\u{A0}\u{2027}\u{202A}\"")
        #expect(text { $0.string("é漢𝄞/\u{FEFF}") } == "\"é漢𝄞/\u{FEFF}\"")
    }

    @Test("every scalar up to U+3000 is read back, and the text contains no controls")
    func scalars() throws {
        for value in 0...0x3000 as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let value = "1234567" + String(Character(scalar)) + "abc"
            let written = text { $0.string(value) }
            #expect(!written.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(try read(written) == value)
        }
    }

    @Test("malformed UTF-8 is written as U+FFFD and the result is valid")
    func malformed() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xE2, 0x82, 0x63, 0xED, 0xA0, 0x80]
        let written = text { $0.string(utf8: bytes.span.bytes) }
        #expect(try read(written) == "a\u{FFFD}b\u{FFFD}\u{FFFD}c\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    @Test("keys are escaped like strings")
    func keys() {
        let written = text { writer in
            writer.beginObject()
            writer.key("a\"b")
            writer.null()
            writer.key(String("\u{1B}"))
            writer.null()
            writer.endObject()
        }
        #expect(written == #"{"a\"b":null,"\u001b":null}"#)
    }

    @Test("integers and doubles are read back as the same value")
    func numbers() throws {
        for value in [0, 1, -1, 10, -10, .max, .min] as [Int64] {
            #expect(text { $0.integer(value) } == "\(value)")
        }
        var random = Randomness.fromEnvironment(for: "JSONWriterTests.numbers")
        let extremes: [Double] = [.leastNonzeroMagnitude, .greatestFiniteMagnitude]
        let samples = extremes + [0, -0.0, 1e16, 1e-7, 0.1, 1e22, 123456789.5]
        let randoms = (0..<10_000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        for value in samples + randoms {
            let bytes = Array(text { $0.real(value) }.utf8)
            var reader = JSONReader(bytes.span.bytes)
            #expect(try reader.readDouble().bitPattern == value.bitPattern)
            try reader.finish()
        }
    }

    private func read(_ text: String) throws -> String {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        let value = try reader.readString()
        try reader.finish()
        return value
    }
}
