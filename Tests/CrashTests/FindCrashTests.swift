import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

/// Kills processes that write rows, and others that find their words, at random moments.
@Suite("A text index after SIGKILL", .mayBlock, .timeLimit(.minutes(60)))
struct FindCrashTests {
    private static let kills =
        ProcessInfo.processInfo.environment["PATCHBAY_CRASHES"].flatMap(Int.init) ?? 10
    private static let definition = """
        api = notes
        base-url = https://notes.example.org
        posts.path = /posts
        posts.next = none
        posts.key = id
        posts.find = title body
        posts.field.id = integer
        posts.field.title = text
        posts.field.body = text
        """
    private static let words = ["ferry", "crash", "lamp", "harbour", "ring", "island", "tide"]

    @Test("has the words of the rows, as a new one has", arguments: StoragePlaces.durable)
    func killed(_ storage: String) throws {
        let folder = try TemporaryDirectory(), places = StoragePlaces()
        let command = Command(in: folder.path, environment: ["XDG_CACHE_HOME": "\(folder.path)/cache"])
        try Data(Self.definition.utf8).write(to: URL(filePath: "\(folder.path)/notes.conf"))
        let options =
            ["--source", "rest", "--set", "source.definition=\(folder.path)/notes.conf"]
            + places.flags(storage, at: "\(folder.path)/store")
        var generator = SeededGenerator.fromEnvironment()
        let rows = "\(folder.path)/rows.jsonl"
        let importing = ["import", "posts", rows] + options
        let finding = ["find", "ferry", "--limit", "5000", "--format", "json"] + options
        try write(3_000, to: rows, &generator)
        #expect(try command.run(importing).status == 0)
        for _ in 0..<Self.kills {
            try write(500, to: rows, &generator)
            let running = try [importing, finding].map {
                try command.start($0, output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
            }
            for process in running.shuffled(using: &generator) {
                usleep(.random(in: 0...200_000, using: &generator))
                kill(process.processIdentifier, SIGKILL)
            }
            for process in running { process.waitUntilExit() }
            // Some searches reach their ends, so that the index is updated, and not only made.
            if Bool.random(using: &generator) { #expect(try command.run(finding).status == 0) }
        }
        let seed: Comment = "PATCHBAY_SEED=\(generator.seed)"
        let found = try command.run(finding)
        #expect(found.status == 0 && found.output.contains("\"handle\""), "\(found.errors) \(seed)")
        let verified = try command.run(["storage", "verify"] + options)
        #expect(verified.status == 0, "\(verified.output) \(verified.errors) \(seed)")
        for path in ["\(folder.path)/store.find", "\(folder.path)/cache"] {
            // A storage on a server has its index in the cache folder, the others beside them.
            try? FileManager.default.removeItem(atPath: path)
        }
        #expect(try command.run(finding).output == found.output, seed)
    }

    /// Writes posts of random words; later ones replace some of the earlier ones.
    private func write(_ count: Int, to path: String, _ generator: inout SeededGenerator) throws {
        var lines = ""
        for _ in 0..<count {
            let id = Int.random(in: 1...4_000, using: &generator)
            let texts = (0..<2).map { _ in
                (0..<6).map { _ in Self.words.randomElement(using: &generator)! }.joined(separator: " ")
            }
            lines += "{\"id\":\(id),\"title\":\"\(texts[0])\",\"body\":\"\(texts[1])\"}\n"
        }
        try Data(lines.utf8).write(to: URL(filePath: path))
    }
}
