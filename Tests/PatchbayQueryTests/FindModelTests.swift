import Foundation
import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite(
    "Random changes of rows and the words that are found", .mayBlock, .searchesWait, .timeLimit(.minutes(30)))
struct FindModelTests {
    private static let steps = ModelTest.stepsFromEnvironment / 2
    private static let words = [
        "ferry", "crash", "race", "data", "start", "café", "naïve", "two", "lamp", "harbour", "x1", "日本語",
    ]

    /// What is stored of a post.
    private struct Post {
        var title, edit, body: String?
        var isGone = false

        /// The words that can be found, as an index folds them.
        var words: Set<String> {
            if isGone { return [] }
            let shown = edit ?? title ?? ""
            let folded = (shown + " " + (body ?? "")).lowercased()
                .replacingOccurrences(of: "é", with: "e").replacingOccurrences(of: "ï", with: "i")
            return Set(folded.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String? {
        if Int.random(in: 0..<8, using: &random) == 0 { return nil }
        return (0..<Int.random(in: 0..<5, using: &random)).map { _ in words.randomElement(using: &random)! }
            .joined(separator: [" ", "-", "\n", "\" "].randomElement(using: &random)!)
    }

    @Test(
        "an index that follows edits, absences, clears and reopening equals a new one",
        arguments: StoragePlaces.all)
    func model(_ storage: String) async throws {
        var random = SeededGenerator.fromEnvironment()
        var fixture = try await FindFixture(storage), model: [Int64: Post] = [:]
        var index = try await TextIndex([fixture.gateway])
        for step in 0..<Self.steps {
            let place: Comment = "step \(step), PATCHBAY_SEED=\(random.seed)"
            let posts = try fixture.posts, id = Int64.random(in: 1...25, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                var post = model[id] ?? Post()
                (post.title, post.body) = (Self.text(&random), Self.text(&random))
                post.isGone = Int.random(in: 0..<6, using: &random) == 0
                model[id] = post
                try await fixture.put(
                    TextRow(id: id, title: post.title, body: post.body, isGone: post.isGone))
            case 9..<13 where model[id] != nil:
                let text = Self.words.randomElement(using: &random)!
                // An edit to the source's value is none.
                if text == model[id]!.title { continue }
                try await fixture.gateway.edit(posts, String(id), "title", to: text)
                model[id]!.edit = text
            case 13..<15 where model[id] != nil:
                try await fixture.gateway.revert(posts, String(id))
                model[id]!.edit = nil
            case 15 where step % 5 == 0:
                try await fixture.gateway.clear(posts)
                model = [:]
            case 16 where storage != "memory":
                // As another process.
                try await fixture.gateway.close()
                fixture = try await FindFixture(reopening: fixture)
                index = try await TextIndex([fixture.gateway])
            default: break
            }
            guard step % 3 == 0 else { continue }
            let wanted = Self.words.randomElement(using: &random)!
            let unwanted = Self.words.randomElement(using: &random)!
            let found = try await index.find("\(wanted) -\(unwanted)", limit: 1_000)
            #expect(!found.isOutdated, place)
            let expected = model.filter { _, post in
                let words = post.words
                return words.contains(Self.folded(wanted)) && !words.contains(Self.folded(unwanted))
            }.keys.sorted()
            let keys = found.rows.compactMap { Int64($0.item.keyText) }.sorted()
            try #require(keys == expected, "\(wanted) -\(unwanted) \(place)")
        }
        #expect(try await index.verify { _ in }.map(\.message) == [], "PATCHBAY_SEED=\(random.seed)")
        // A new index ranks the rows in the same way.
        let new = TextIndex(apartFrom: index)
        for word in Self.words {
            let old = try await fixture.found(word, index), other = try await fixture.found(word, new)
            #expect(old == other, "\(word), PATCHBAY_SEED=\(random.seed)")
        }
        try await fixture.gateway.close()
    }

    private static func folded(_ word: String) -> String {
        word.replacingOccurrences(of: "é", with: "e").replacingOccurrences(of: "ï", with: "i")
    }
}
