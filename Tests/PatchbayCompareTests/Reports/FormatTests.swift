import PatchbayCore
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayCompare
@testable import PatchbayTerminal

@Suite("A comparison as JSON and CSV")
struct FormatTests {
    @Test("JSON reads back as the same comparison")
    func roundTrip() throws {
        var hostile = MadeUp()
        hostile.subjects = MadeUp.hostileNames
        var other = hostile.comparison()
        other.settings.source = "a \"b\".har"
        other.settings.durability = nil
        other.settings.seed = .max
        other.loadAtStart = 0.25
        other.results[0].rounds[0].writeCalls = nil
        other.results[1].rounds[0].peakMemoryBytes = nil
        other.results[2].bytesOnDisk = nil
        for comparison in [MadeUp().comparison(), MadeUp.damaged(), other] {
            #expect(try Frames.decoded(comparison.json()) == comparison)
        }
    }

    @Test("JSON and CSV state the verdicts of the table, with their intervals")
    func verdicts() throws {
        let comparison = MadeUp().comparison(), value = try comparison.jsonValue()
        let verdicts = value["verdicts"]?.elements ?? []
        let standings = comparison.groups.flatMap(\.standings)
        #expect(verdicts.map { $0["subject"]?.word } == standings.map(\.subject))
        #expect(verdicts.map { $0["verdict"]?.word } == standings.map(\.word))
        #expect(
            verdicts.contains { $0["verdict"]?.word == "slower" && $0["low"] != nil && $0["high"] != nil })
        let column = try #require(Comparison.recordNames.firstIndex(of: "verdict"))
        let lines = csv(comparison).split(separator: "\n").dropFirst()
        let words = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false)[column] }
        #expect(Set(words.map(String.init)) == Set(standings.map(\.word)))
    }

    @Test("JSON contains no control characters, whatever the names contain")
    func printable() throws {
        var hostile = MadeUp()
        hostile.subjects = MadeUp.hostileNames
        let bytes = try hostile.comparison().json()
        #expect(bytes.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") })
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
