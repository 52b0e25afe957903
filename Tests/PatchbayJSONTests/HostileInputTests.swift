import PatchbayJSON
import Testing

@Suite("Hostile input")
struct HostileInputTests {
    private static let samples = [
        #"[{"login":"octocat","id":1,"url":"https://example.com/octocat","site_admin":false,"name":null}]"#,
        #"{"a":[1.5e3,-0,true,[[]],{"b":{}}],"é":"漢字 \u00e9\ud834\udd1e\n","long":"abcdefghijklmnopqrs"}"#,
        "[\n  -12345678901234567890, 0.1e-5,\r\n\t\"\\\"\\\\\\/\", \"\u{7F}\u{80}\u{2028}\u{10FFFF}\" ]\n",
    ]

    @Test("skipping and reading agree on modified texts, and copies are stable")
    func mutations() throws {
        var random = Randomness.fromEnvironment(for: "HostileInputTests.mutations")
        for _ in 0..<30_000 {
            var text = Array(Self.samples.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&text, using: &random) }
            check(text)
        }
    }

    @Test("random bytes, and random pieces of JSON, do no harm")
    func randomBytes() throws {
        var random = Randomness.fromEnvironment(for: "HostileInputTests.randomBytes")
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud834", "0", "-", "1", ".", "e", "+",
            "true", "false", "null",
            " ", "\"a\"", "\"a\":", "é", "\u{FEFF}", "\u{0}", "12345678",
        ].map { Array($0.utf8) }
        for _ in 0..<30_000 {
            let length = Int.random(in: 0...24, using: &random)
            check((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            check((0..<length).flatMap { _ in pieces.randomElement(using: &random)! })
        }
    }

    @Test("hostile strings are read back unchanged")
    func roundTrip() throws {
        var random = Randomness.fromEnvironment(for: "HostileInputTests.roundTrip")
        let scalars: [UInt32] = [
            0, 0x1B, 0x22, 0x5C, 0x7F, 0x80, 0x9B, 0x2028, 0x2029, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10FFFF,
        ]
        for _ in 0..<5_000 {
            var value = ""
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let odd = Unicode.Scalar(scalars.randomElement(using: &random)!)!
                value.unicodeScalars.append(Bool.random(using: &random) ? odd : "a")
            }
            var writer = JSONWriter()
            writer.string(value)
            var reader = JSONReader(writer.bytes.span.bytes)
            #expect(Array(try reader.readString().utf8) == Array(value.utf8))
        }
    }

    private func mutate(_ text: inout [UInt8], using random: inout Randomness) {
        let place = Int.random(in: 0..<max(text.count, 1), using: &random)
        guard place < text.count else { return text.append(UInt8(truncatingIfNeeded: random.next())) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: text[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: text.remove(at: place)
        case 3: text.insert(Array(#"{}[],:"\ue-.01 "#.utf8).randomElement(using: &random)!, at: place)
        default: text.removeLast(text.count - place)
        }
    }

    private func check(_ text: [UInt8]) {
        let skipped = mistake(in: text)
        guard let copied = try? copy(of: text) else {
            // Only a number that does not fit a double is valid to skip but not to read.
            return #expect(skipped != nil || isTooLarge(text), "skipped but not read: \(text)")
        }
        #expect(skipped == nil, "read but not skipped: \(text)")
        #expect((try? copy(of: copied)) == copied, "not stable: \(text)")
        let indented = try? copy(of: copied, indentation: 2)
        #expect((try? copy(of: indented ?? [])) == copied, "not stable when indented: \(text)")
    }

    private func isTooLarge(_ text: [UInt8]) -> Bool {
        do {
            _ = try copy(of: text)
            return false
        } catch {
            return error.message == "the number is too large"
        }
    }
}
