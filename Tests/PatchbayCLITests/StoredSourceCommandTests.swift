import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Combinations of one storage with several sources, as people try them.
@Suite("The commands over a storage of several sources", .mayBlock, .timeLimit(.minutes(5)))
struct StoredSourceCommandTests {
    private let command: Command
    /// The options for a recording of a GitHub Enterprise Server, whose host does not identify its API.
    private static let enterpriseServer =
        " --set source.definition=github --set source.base-url=https://ghe.example.org/api/v3"

    init() throws { command = try Command() }

    /// Runs a command with one storage for all sources, or with the source's own.
    private func run(_ storage: String, _ line: String, isOwn: Bool = false) throws -> Command.Outcome {
        let path = isOwn ? [] : ["--set", "storage.path=\(command.directory)/s"]
        return try command.run(line: line, ["--storage", storage] + path)
    }

    private func source(_ storage: String) throws -> String? {
        try run(storage, "storage info --format jsonl").output.split(separator: "\n")
            .first { $0.contains("rows of source") }.map(String.init)
    }

    @Test("two APIs share a storage, each with its own rows", arguments: ["sqlite", "lmdb", "flatfile"])
    func shared(_ storage: String) throws {
        let github = try run(storage, "list users --limit 5")
        #expect(github.status == 0)
        #expect(try run(storage, "list users --limit 5 --source synthetic").status == 0)
        #expect(try source(storage)?.hasSuffix("\"github at github.example.org, synthetic\"}") == true)
        #expect(try run(storage, "list users --limit 5 --offline").output == github.output)
        let offline = try run(storage, "list users --offline --source synthetic --limit 3")
        #expect(offline.status == 0)
        #expect(offline.errors.hasPrefix("3 users, stored"))
        #expect(try run(storage, "clear users --yes").status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":\"synthetic\"}") == true)
        #expect(
            try run(storage, "list users --offline --source synthetic --limit 3").output == offline.output)
    }

    @Test(
        "another server of the same API is refused until the users are cleared",
        arguments: ["sqlite", "lmdb", "flatfile"])
    func refused(_ storage: String) throws {
        try record("https://ghe.example.org/api/v3", as: "ghe.har")
        let enterprise = " --set source.path=ghe.har" + Self.enterpriseServer
        #expect(try run(storage, "list users").status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":\"github at github.example.org\"}") == true)
        let rows = try run(storage, "storage export").output
        for line in ["list users", "show users octocat", "sync users", "init users"] {
            let refused = try run(storage, line + enterprise)
            refused.expectRefusal(
                9,
                "holds rows of \"github at github.example.org\", and those of \"github at ghe.example.org\"")
            #expect(refused.errors.contains("storage: \(command.directory)"))
        }
        #expect(try run(storage, "storage export").output == rows)
        #expect(try run(storage, "clear users --yes").status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":null}") == true)
        #expect(try run(storage, "list users" + enterprise).status == 0)
        #expect(try source(storage)?.hasSuffix("\"value\":\"github at ghe.example.org\"}") == true)
        #expect(try run(storage, "list users").status == 9)
    }

    /// The sample, changed to a recording of another server.
    private func record(_ server: String, as name: String) throws {
        let sample = try String(contentsOfFile: Checkout.path("Recordings/sample.har"), encoding: .utf8)
        try command.write(sample.replacing("https://api.github.example.org", with: server), to: name)
    }

    @Test("a recording and the live API at another address are the same source", .needsNetworkClient)
    func sameAPI() throws {
        try record("https://api.github.com", as: "real.har")
        #expect(try run("sqlite", "list users --set source.path=real.har").status == 0)
        let live = try run(
            "sqlite",
            "list users --source github --set source.base-url=http://127.0.0.1:9 --limit 5")
        #expect(live.status == 0)
        #expect(live.errors.contains("could not query 127.0.0.1"), "\(live.errors)")
    }

    @Test("the sample is not GitHub's data and has its own storage", .needsNetworkClient)
    func sample() throws {
        #expect(try run("sqlite", "list users", isOwn: true).status == 0)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: command.directory + "/.local/share/patchbay")
        #expect(names.contains("sample.recorded.sqlite"))
        let live = " --source github --set source.base-url=http://127.0.0.1:9"
        try run("sqlite", "list users --offline" + live, isOwn: true).expectRefusal(4, "github.sqlite")
        let path = " --set storage.path=\(command.directory)/.local/share/patchbay/sample.recorded.sqlite"
        try run("sqlite", "list users" + live + path, isOwn: true).expectRefusal(
            9, "rows of \"github at github.example.org\", and those of \"github\" would be mixed with them")
    }

    @Test(
        "a storage that was filled through one address can be continued through another",
        arguments: ["sqlite", "lmdb"])
    func addresses(_ storage: String) throws {
        for port in 1...2 { try record("http://127.0.0.1:\(port)", as: "\(port).har") }
        func at(_ port: Int, _ line: String) throws -> Command.Outcome {
            try run(
                storage,
                line + " --set source.path=\(port).har"
                    + " --set source.definition=github --set source.base-url=http://127.0.0.1:\(port)")
        }
        #expect(try at(1, "sync users --max-requests 2").status == 0)
        let offline = try run(storage, "list users --limit 200 --offline").output
        #expect(offline.split(separator: "\n").count == 61)
        let list = try at(2, "list users --after 0 --limit 104")
        #expect(list.status == 0 && list.output.split(separator: "\n").count == 105, "\(list.errors)")
        for port in [2, 1, 2] {
            let sync = try at(port, "sync users")
            #expect(sync.status == 0, "\(sync.errors)")
            #expect(sync.errors.contains("104 rows") && sync.errors.contains("complete"), "\(sync.errors)")
            let repositories = try at(port, "sync repos Marlow-Quern")
            #expect(repositories.status == 0 && repositories.errors.contains("23 rows"))
        }
    }

    @Test("a batch after pages of another address starts the list again", arguments: ["sqlite", "flatfile"])
    func batches(_ storage: String) throws {
        for server in ["http://127.0.0.1:1", "http://127.0.0.1:2"] {
            let entries = (1...2).map { number in
                let link = number == 1 ? "<\(server)/user/7/repos?page=2>; rel=\"next\"" : ""
                let repository =
                    #"[{"id":\#(number),"name":"r\#(number)","full_name":"ada/r\#(number)","#
                    + #""owner":{"login":"ada","id":7},"private":false}]"#
                let path = number == 1 ? "/users/ada/repos?per_page=100" : "/user/7/repos?page=2"
                return TestHAR.entry(server + path, headers: [("Link", link)], body: repository)
            }
            try command.write(TestHAR.file(entries), to: "\(server.suffix(1)).har")
        }
        for port in [1, 2] {
            let list = try run(
                storage,
                "list repos ada --batch 1 --number 2 --set source.path=\(port).har "
                    + "--set source.definition=github --set source.base-url=http://127.0.0.1:\(port)")
            #expect(list.status == 0 && list.output.contains("ada/r2"), "\(list.errors)")
            #expect(list.errors.contains("recorded in \(port).har"), "\(list.errors)")
        }
    }

    @Test(
        "a GitHub Enterprise Server is another source, live and recorded", .needsNetworkClient,
        arguments: ["sqlite", "lmdb", "flatfile"]
    )
    func enterprise(_ storage: String) throws {
        try record("https://ghe.example.org/api/v3", as: "ghe.har")
        try record("https://api.github.com", as: "real.har")
        let real = " --set source.path=real.har"
        let recorded = " --set source.path=ghe.har" + Self.enterpriseServer
        let live = " --source github --set source.base-url=http://127.0.0.1:9/api/v3"
        #expect(try run(storage, "list users --limit 5" + real).status == 0)
        for (flags, server) in [(recorded, "ghe.example.org"), (live, "127.0.0.1:9")] {
            for line in ["list users", "show users octocat", "sync users"] {
                try run(storage, line + flags).expectRefusal(
                    9, "rows of \"github\", and those of \"github at \(server)\" would be mixed with them")
            }
        }
        #expect(try run(storage, "clear users --yes" + real).status == 0)
        let users = try run(storage, "list users --limit 5" + recorded)
        #expect(users.status == 0, "\(users.errors)")
        #expect(try source(storage)?.hasSuffix("\"value\":\"github at ghe.example.org\"}") == true)
        #expect(try run(storage, "list users --limit 5" + recorded).status == 0)
        try run(storage, "list users" + real).expectRefusal(9, "rows of \"github at ghe.example.org\"")
    }
}
