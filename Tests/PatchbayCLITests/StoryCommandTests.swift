import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Tests of commands that read repositories and pictures, and of policies.
@Suite("The commands that read", .timeLimit(.minutes(5)))
struct StoryCommandTests {
    private static let storages = StoragePlaces.usual

    private let command: Command

    init() throws { command = try Command() }

    private func lines(_ outcome: Command.Outcome) -> [Substring] {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n")
    }

    @Test(
        "batches, commits and details of recorded repositories are printed, the same offline",
        arguments: storages)
    func repositories(_ storage: String) async throws {
        let owner = ["list", "repos", "Marlow-Quern", "--batch", "10", "--storage", storage]
        let commits = owner + ["--number", "1", "--with", "commits", "--format", "csv"]
        let detail = [
            "show", "repos", "Marlow-Quern/almanac", "--with", "commits", "--format", "json", "--storage",
            storage,
        ]
        let first = try await command.finished(owner)
        #expect(lines(first).count == 11)
        #expect(first.errors.contains("there are more: --batch 10 --number 2"))
        let third = try await command.finished(owner + ["--number", "3"])
        #expect(lines(third).count == 4 && !third.errors.contains("more"))
        let online = lines(try await command.finished(commits))
        #expect(online.filter { $0.hasSuffix(",fresh") }.count == 9)
        #expect(online.filter { $0.hasSuffix(",none") }.count == 1)
        let offline = lines(try await command.finished(commits + ["--offline"]))
        #expect(offline.map { $0.replacing(/,stored$/, with: ",fresh") } == online)
        #expect(try await command.finished(detail).status == 0)
        let shown = try await command.finished(detail + ["--policy", "local-only"])
        #expect(lines(shown).contains { $0.contains(#""commit_state": "stored""#) })
        let list = ["list", "commits", "Marlow-Quern/beacon", "--offline", "--storage", storage]
        #expect(lines(try await command.finished(list)).count == 7)
    }

    @Test("a picture is written to a new file, and is the same offline", arguments: storages)
    func avatar(_ storage: String) async throws {
        let avatar = ["picture", "users", "Marlow-Quern", "--storage", storage]
        let first = try await command.finished(avatar + ["--output", "first.png"])
        #expect(first.status == 0 && first.errors.hasSuffix("image/png, 268 bytes\n"), "\(first.errors)")
        #expect(try await command.finished(avatar + ["--offline", "--output", "second.png"]).status == 0)
        let files = try ["first.png", "second.png"].map {
            try Data(contentsOf: URL(fileURLWithPath: command.directory + "/" + $0))
        }
        #expect(files[0] == files[1] && files[0].starts(with: [0x89, 0x50, 0x4E, 0x47]))
        let refused = try await command.finished(avatar + ["--output", "first.png"])
        #expect(refused.status == 9 && refused.errors.hasSuffix("or add --replace\n"), "\(refused.errors)")
        try Data([1]).write(to: URL(fileURLWithPath: command.directory + "/first.png"))
        #expect(try await command.finished(avatar + ["--output", "first.png", "--replace"]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: command.directory + "/first.png")) == files[0])
        let unknown = try await command.finished("picture", "users", "Bramwick4", "--offline")
        #expect(unknown.status == 4 && unknown.output.isEmpty)
    }

    @Test("list.limit and list.maximum of the configuration apply, and options override them")
    func configured() async throws {
        try command.write(
            "list.limit = 7\nlist.maximum = 10\nreading.policy = local-only\n", to: "patchbay.conf")
        let empty = try await command.finished("list", "users")
        #expect(empty.status == 4 && empty.errors.contains("fetch something first"))
        let first = try await command.finished("list", "users", "--policy", "local-first")
        #expect(lines(first).count == 8)
        let second = try await command.finished("list", "users", "--after", "900012000")
        #expect(lines(second).count <= 4 && second.errors.contains("the limit of 10 is reached"))
        #expect(
            lines(try await command.finished("list", "users", "--limit", "3", "--maximum", "3")).count == 4)
        let wrong = try await command.finished("list", "users", "--set", "list.limit=0")
        #expect(wrong.status == 3 && wrong.errors.contains("list.limit"), "\(wrong.errors)")
    }

    @Test(
        "with a maximum of 100 a walk ends at 100 of 104 users, without one at the end", arguments: storages)
    func walk(_ storage: String) async throws {
        for (maximum, count, end) in [
            (100, 100, "the limit of 100 is reached"), (110, 104, "the end of the list"),
        ] {
            var after = "0", rows = 0, errors = ""
            for _ in 0..<10 {
                let outcome = try await command.finished(
                    "list", "users", "--storage", storage, "--format", "jsonl", "--after", after,
                    "--maximum",
                    "\(maximum)")
                rows += lines(outcome).count
                errors = outcome.errors
                guard let next = errors.firstMatch(of: /more: --after (\d+)/)?.1 else { break }
                after = String(next)
            }
            #expect(rows == count && errors.contains(end), "\(rows): \(errors)")
        }
    }

    @Test("policies cannot be used together, and an unknown one is reported with the known ones")
    func policies() async throws {
        for (arguments, message) in [
            (["--offline", "--refresh"], "--offline and --refresh cannot be used together"),
            (["--policy", "refresh", "--offline"], "--policy refresh and --offline cannot be used together"),
            (["--policy", "never"], "local-first, local-only, remote-first, refresh"),
        ] {
            let outcome = try await command.finished(["list", "users"] + arguments)
            #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
        }
        let opened = try await command.finished("show", "users", "Quernwick-Ferries", "--open")
        #expect(opened.output == "https://quernwick-ferries.example.org\n")
        #expect(try await command.finished("show", "users", "Marlow-Quern", "--open").status == 4)
    }

    /// Returns the output of a script of the checkout.
    private func said(by script: String, _ arguments: String...) async throws -> String {
        var command = Command(in: Checkout.path("."), program: Checkout.path(script))
        command.environment = ProcessInfo.processInfo.environment
        let outcome = try await command.finished(arguments)
        return outcome.output + outcome.errors
    }

    @Test("the tour prints the same over every storage")
    func tour() async throws {
        var outputs: [String] = []
        for storage in Self.storages {
            let text = try await said(by: "Scripts/tour.sh", storage, Command.executable.path)
            #expect(text.hasSuffix("The tour is over.\n"), "\(storage): \(text.suffix(400))")
            outputs.append(text)
        }
        #expect(Set(outputs).count == 1)
    }
}
