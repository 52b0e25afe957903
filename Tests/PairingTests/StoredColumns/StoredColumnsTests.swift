import Foundation
import PatchbayCore
@testable import PatchbayTestKit
import TestSupport
import Testing

/// A storage may come from other hands, so every column of every collection may have any value of its type.
@Suite("Every column of every collection with extreme values", .mayBlock, .serialized)
struct StoredColumnsTests {
    private static let isLarge = ProcessInfo.processInfo.environment["PATCHBAY_LARGE_TESTS"] != nil

    @Test(
        "no use case or route crashes, hangs or is wrong without a word",
        arguments: isLarge ? StoragePlaces.all : ["sqlite"])
    func everyColumn(_ plugin: String) async throws {
        let folder = try TemporaryDirectory()
        let kept = ProcessInfo.processInfo.environment["PATCHBAY_JOURNAL"]
        let journal = "\(kept ?? folder.path + "/journal").\(plugin)",
            seed = SeededGenerator.fromEnvironment().seed
        let count = Self.isLarge ? Int.max : 48
        var first = 0, findings: [String] = []
        // Each round continues after a value that ended the process.
        for _ in 0..<40 {
            let result = await #expect(processExitsWith: .success) {
                [
                    plugin = plugin as String, journal = journal as String, seed = seed as UInt64,
                    first = first as Int, count = count as Int
                ] in
                try await Self.tryValues(plugin, journal, seed, first, count)
            }
            let lines = try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
            findings = lines.filter { $0.hasPrefix("found") || $0.hasPrefix("suspected") }.map(String.init)
            if result != nil { break }
            let last = lines.last { $0.hasPrefix("value\t") }?.dropFirst(6) ?? ""
            Issue.record("\(last) ended the process: \(lines.last ?? "")")
            guard let number = last.split(separator: " ").first.flatMap({ Int($0) }) else { return }
            first = number + 1
        }
        for finding in findings { Issue.record("\(finding), PATCHBAY_SEED=\(seed)") }
    }

    /// Returns groups of values of different collections, which are tried together.
    private static func groups(of values: [ColumnValue], each count: Int) -> [[ColumnValue]] {
        var groups: [[ColumnValue]] = []
        for value in values {
            let place = groups.firstIndex { group in
                group.count < count && !group.contains { $0.collection.name == value.collection.name }
            }
            if let place { groups[place].append(value) } else { groups.append([value]) }
        }
        return groups
    }

    private static func tryValues(
        _ plugin: String, _ path: String, _ seed: UInt64, _ first: Int, _ count: Int
    ) async throws {
        let store = try ColumnStore(), journal = try ColumnJournal(path, isFirst: first == 0)
        let content = try await store.populate()
        let empty = content.filter(\.rows.isEmpty).map(\.collection.name)
        if !empty.isEmpty { journal.found("no rows in \(empty.joined(separator: ", "))") }
        var random = SeededGenerator(seed: seed)
        let values = ColumnValue.all(content)
        let chosen = count < values.count ? Array(values.shuffled(using: &random).prefix(count)) : values
        var tried = 0
        for (number, group) in Self.groups(of: chosen, each: 4).enumerated().dropFirst(first) {
            journal.tries(number, group.map(\.description).joined(separator: ", "))
            guard let opened = try await store.storage(plugin, content, with: group) else { continue }
            try await ColumnUses(opened: opened, store: store, values: group, journal: journal).run(number)
            try await opened.close()
            tried += group.count
        }
        print(
            "\(plugin): tried \(tried) of \(values.count) values in \(content.count) collections, seed \(seed)"
        )
    }
}
