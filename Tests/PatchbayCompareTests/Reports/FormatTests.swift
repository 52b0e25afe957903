import PatchbayCompare
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayCLI

@Suite("A comparison as JSON and CSV")
struct FormatTests {
    @Test("JSON reads back as the same comparison")
    func roundTrip() throws {
        var hostile = MadeUp()
        hostile.subjects = MadeUp.hostileNames
        var other = hostile.comparison()
        other.settings.recording = "a \"b\".har"
        other.settings.durability = nil
        other.settings.seed = .max
        other.loadAtStart = 0.25
        other.results[0].rounds[0].writeCalls = nil
        other.results[1].rounds[0].peakMemoryBytes = nil
        other.results[2].bytesOnDisk = nil
        for comparison in [MadeUp().comparison(), MadeUp.damaged(), other] {
            #expect(try Comparison(json: comparison.json()) == comparison)
        }
    }

    @Test("JSON contains no control characters, whatever the names contain")
    func printable() throws {
        var hostile = MadeUp()
        hostile.subjects = MadeUp.hostileNames
        let bytes = try hostile.comparison().json()
        #expect(bytes.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") })
    }

    @Test("unknown keys are skipped, another version is refused")
    func versions() throws {
        let text = String(decoding: try MadeUp().comparison().json(), as: UTF8.self)
        let later = text.replacing(
            "\"isComplete\": true", with: "\"isComplete\": true, \"new\": [{}]", maxReplacements: 1)
        #expect(try Comparison(json: Array(later.utf8)) == MadeUp().comparison())
        let next = text.replacing("\"version\": 1,", with: "\"version\": 2,", maxReplacements: 1)
        #expect(throws: PatchbayError.self) { try Comparison(json: Array(next.utf8)) }
    }

    @Test(
        "a text that is not a comparison is refused with its mistake",
        arguments: [
            ("", "expected a value"), ("[]", "expected an object with the format patchbay-comparison"),
            ("{}", "expected an object"), (#"{"format": "other"}"#, "expected an object"),
            (#"{"format": "patchbay-comparison", "version": 1}"#, "the object has no \"machine\""),
            (#"{"format": "patchbay-comparison", "version": 1, "x": [-1]}"#, "a number below zero"),
            (
                #"{"format": "patchbay-comparison", "version": 1, "machine": {"processor": 1}}"#,
                "machine/processor: expected to decode String but found "
            ),
        ])
    func refusals(_ text: String, _ words: String) {
        let error = #expect(throws: PatchbayError.self) { try Comparison(json: Array(text.utf8)) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("use one that was written as JSON") == true)
    }

    @Test("damaged JSON is refused or read without a crash")
    func damage() throws {
        var madeUp = MadeUp()
        madeUp.rows = [1_000]
        madeUp.rounds = 1
        let bytes = try madeUp.comparison().json()
        var random = SeededGenerator(seed: 11)
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0..<4 {
                damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 32...126, using: &random)
            }
            if Bool.random(using: &random) {
                damaged.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            }
            do {
                let read = try Comparison(json: damaged)
                #expect(read.results.allSatisfy { $0.rounds.allSatisfy { $0.operations >= 0 } })
            } catch {
                #expect((error as? PatchbayError)?.code == .invalidValue)
            }
        }
    }

    @Test("CSV has a line for each round and for each missing result")
    func csv() throws {
        let comparison = MadeUp.damaged()
        let lines = csv(comparison).split(separator: "\n")
        #expect(lines.count == 1 + comparison.results.reduce(0) { $0 + max(1, $1.rounds.count) })
        #expect(lines[0] == Comparison.recordNames.joined(separator: ","))
        #expect(lines.allSatisfy { $0.count { $0 == "," } == Comparison.recordNames.count - 1 })
        let first = lines[1].split(separator: ",", omittingEmptySubsequences: false)
        let round = comparison.results[0].rounds[0]
        #expect(first[0...5] == ["load", "1000", "sqlite", "sqlite", "1", "\(round.operations)"])
        #expect(Double(first[6]) == round.seconds)
        #expect(lines.contains { $0.hasSuffix(",keeps no files") })
    }

    @Test("CSV quotes names where needed, and a terminal gets harmless ones")
    func hostileCSV() {
        var hostile = MadeUp()
        hostile.subjects = MadeUp.hostileNames
        let exact = csv(hostile.comparison())
        #expect(exact.contains("\"<script>alert(1)</script>\"\"'&\","))
        let shown = csv(hostile.comparison(), isForTerminal: true)
        #expect(!shown.utf8.contains(0x1B))
    }

    private func csv(_ comparison: Comparison, isForTerminal: Bool = false) -> String {
        let bytes = CSVText.bytes(
            of: comparison.records, header: Comparison.recordNames, isForTerminal: isForTerminal)
        return String(decoding: bytes, as: UTF8.self)
    }
}
