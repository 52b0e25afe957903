import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// One storage, several sources, as people try them.
@Suite("The commands over a storage of another source", .timeLimit(.minutes(5)))
struct StoredSourceCommandTests {
    private let folder: TemporaryDirectory
    private let command: Command

    init() throws {
        folder = try TemporaryDirectory()
        command = Command(in: folder.path)
    }

    private func run(_ storage: String, _ line: String) throws -> Command.Outcome {
        try command.run(line.split(separator: " ").map(String.init) + ["--storage", storage])
    }

    private func source(_ storage: String) throws -> String? {
        try run(storage, "storage info --format ndjson").output.split(separator: "\n")
            .first { $0.contains("rows of source") }.map(String.init)
    }

    @Test("another source is refused until the users are cleared", arguments: ["sqlite", "lmdb", "flatfile"])
    func refused(_ storage: String) throws {
        #expect(try run(storage, "users list").status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":\"github\"}") == true)
        let rows = try run(storage, "storage export").output
        for line in ["users list", "users show octocat", "sync users", "users init"] {
            let refused = try run(storage, line + " --source synthetic")
            #expect(refused.status == 9, "\(line)")
            #expect(refused.output.isEmpty)
            #expect(refused.errors.contains("holds what the source \"github\" told"), "\(line)")
            #expect(refused.errors.contains("\"synthetic\""))
            #expect(refused.errors.contains("\"patchbay users clear\""))
            #expect(refused.errors.contains("storage: \(folder.path)"))
            #expect(refused.errors.split(separator: "\n").count == 1)
        }
        #expect(try run(storage, "storage export").output == rows)
        let offline = try run(storage, "users list --offline --source synthetic --limit 3")
        #expect(offline.status == 0)
        #expect(offline.errors.hasPrefix("3 users, stored"))
        #expect(try run(storage, "users clear --yes").status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":null}") == true)
        #expect(try run(storage, "users list --source synthetic").status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":\"synthetic\"}") == true)
        #expect(try run(storage, "users list").status == 9)
    }

    @Test("a recording and the live API behind another address are the same source", .needsNetworkClient)
    func sameAPI() throws {
        #expect(try run("sqlite", "users list").status == 0)
        let live = try run(
            "sqlite", "users list --source github --set source.base-url=http://127.0.0.1:9 --limit 5")
        #expect(live.status == 0)
        #expect(live.errors.contains("could not ask 127.0.0.1"), "\(live.errors)")
    }

    @Test(
        "a GitHub Enterprise Server is another source, live and recorded", .needsNetworkClient,
        arguments: ["sqlite", "lmdb", "flatfile"]
    )
    func enterprise(_ storage: String) throws {
        let sample = try String(contentsOfFile: Checkout.path("Recordings/sample.har"), encoding: .utf8)
        try sample.replacing("https://api.github.com", with: "https://ghe.example.org/api/v3")
            .write(toFile: folder.path + "/ghe.har", atomically: false, encoding: .utf8)
        let recorded = " --set source.path=ghe.har --set source.base-url=https://ghe.example.org/api/v3"
        let live = " --source github --set source.base-url=http://127.0.0.1:9/api/v3"
        #expect(try run(storage, "users list --limit 5").status == 0)
        for (flags, server) in [(recorded, "ghe.example.org"), (live, "127.0.0.1:9")] {
            for line in ["users list", "users show octocat", "sync users"] {
                try run(storage, line + flags).expectRefusal(
                    9, "\"github\" told, and \"github at \(server)\" would be mixed with it")
            }
        }
        #expect(try run(storage, "users clear --yes").status == 0)
        let users = try run(storage, "users list --limit 5" + recorded)
        #expect(users.status == 0, "\(users.errors)")
        #expect(try source(storage)?.hasSuffix("\"value\":\"github at ghe.example.org\"}") == true)
        #expect(try run(storage, "users list --limit 5" + recorded).status == 0)
        try run(storage, "users list").expectRefusal(9, "\"github at ghe.example.org\" told")
    }
}
