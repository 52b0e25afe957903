#if Live
import CPlatform
import Foundation
import TestSupport
import Testing

@Suite("The configuration of a command", .mayBlock, .timeLimit(.minutes(10)))
struct ConfigurationCommandLiveTests {
    private let command: Command

    init() throws { command = try Command() }

    @Test(
        "config show, doctor and errors show no passwords and no secret parameters of addresses",
        arguments: [
            "https://ada:s3cretpass@example.org", "https://example.org/?access_token=s3cretpass",
            "https://ada:s3/cret@pass@example.org/?a=1",
        ])
    func addresses(_ address: String) throws {
        var command = command
        command.environment["PATCHBAY_NETWORKING_PROXY"] = "http://ada:s3cretpass@proxy.example:3128"
        let flags = ["--source", "github", "--set", "source.base-url=\(address)", "--storage", "memory"]
        for words in [
            ["config", "show"], ["config", "show", "--format", "json"], ["config", "check"], ["doctor"],
            ["doctor", "--offline"], ["list", "users"], ["config", "show", "--source", "synthetic"],
            ["config", "show", "--set", "networking.timeout-seconds=no"],
        ] {
            let outcome = try command.run(words.prefix(2) + flags + words.dropFirst(2))
            for secret in ["s3cretpass", "s3/cret", "@pass"] {
                #expect(!outcome.output.contains(secret) && !outcome.errors.contains(secret), "\(outcome)")
            }
        }
        let show = try command.run(["config", "show", "--format", "csv"] + flags)
        #expect(show.status == 0 && show.output.contains("REDACTED"), "\(show)")
    }

    @Test("config show prints no token that the configuration contains for another source")
    func unusedToken() throws {
        let text = "source = github\nsource.token = c0ffee5ca1ab1e0ddba11feedfacecafe0123456\n"
        try command.write(text, to: "x.conf")
        let show = try command.run("config", "show", "--config", "x.conf", "--source", "synthetic")
        #expect(show.status == 0 && show.errors.contains("source.token = \"...\""), "\(show)")
    }

    @Test("a note names a path for another storage when the default path is used instead")
    func unusedPath() throws {
        try command.write("storage = sqlite\nstorage.path = users.sqlite\n", to: "patchbay.conf")
        let other = try command.run("list", "users", "--limit", "1", "--storage", "flatfile")
        #expect(
            other.errors.hasPrefix(
                "note: storage.path = \"users.sqlite\" (patchbay.conf:2) is for another storage"),
            "\(other)")
        #expect(other.errors.contains(command.directory + "/.local/share/patchbay"), "\(other)")
        for words in [
            ["--storage", "sqlite"], ["--storage", "memory"],
            ["--storage", "lmdb", "--set", "storage.path=l"],
        ] {
            let outcome = try command.run(["list", "users", "--limit", "1"] + words)
            #expect(outcome.status == 0 && !outcome.errors.contains("note:"), "\(outcome)")
        }
    }

    @Test("--set keeps the spaces of a value, except the one after an equals sign between spaces")
    func spaces() throws {
        func path(_ assignment: String) throws -> Substring? {
            let show = try command.run("config", "show", "--format", "csv", "--set", assignment)
            return show.output.split(separator: "\n").first { $0.hasPrefix("storage.path,") }
        }
        #expect(try path("storage.path=a ") == "storage.path,\"a \",option --set")
        #expect(try path("storage.path = a b ") == "storage.path,\"a b \",option --set")
        #expect(try path(" storage.path= a") == "storage.path,\" a\",option --set")
    }

    @Test(
        "a command reads its configuration file once",
        arguments: [
            ["list", "users"], ["config", "check"], ["config", "show"], ["doctor", "--offline"],
            ["clear", "users", "--yes"], ["storage", "info"],
            ["record", "x.har", "--", "list", "users", "--source", "github"],
        ])
    func once(_ words: [String]) throws {
        let path = command.directory + "/patchbay.conf"
        try Data("storage = memory\n".utf8).write(to: URL(fileURLWithPath: path))
        let watch = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        defer { close(watch) }
        unsafe #expect(inotify_add_watch(watch, path, UInt32(IN_OPEN | IN_CLOSE_NOWRITE)) >= 0)
        var command = command
        command.environment["PATCHBAY_NETWORKING_PROXY"] = "http://127.0.0.1:9"
        command.environment["PATCHBAY_SOURCE_BASE_URL"] =
            words.contains("github") ? "http://127.0.0.1:9" : nil
        _ = try command.run(words)
        var events = [UInt8](repeating: 0, count: 4_096)
        // Opening and closing are two events of 16 bytes, because events of a watched file contain no name.
        unsafe #expect(read(watch, &events, events.count) == 32)
    }

    @Test(
        "nothing that the command writes contains a secret that a server repeats",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3"))
    func canary() async throws {
        let python = Command(in: command.directory, program: "/usr/bin/python3")
        let outcome = try await python.finished(
            Checkout.path("Scripts/canary.py"), "--quick", Command.executable.path)
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("--log writes to standard error, PATCHBAY_LOG=FILE to the file, both to both")
    func logs() throws {
        var command = command
        let flags = [
            "list", "users", "--source", "github", "--storage", "memory", "--set",
            "source.base-url=http://127.0.0.1:9", "--policy", "refresh",
        ]
        let file = command.directory + "/log"
        command.environment["PATCHBAY_LOG"] = file
        func lines() throws -> Int {
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
        }
        let silent = try command.run(flags)
        let count = try lines()
        #expect(count > 0 && !silent.errors.contains(" GET http"), "\(silent)")
        let told = try command.run(flags + ["--log"])
        #expect(try lines() == 2 * count && told.errors.contains(" GET http://127.0.0.1:9/users"), "\(told)")
        try FileManager.default.createSymbolicLink(atPath: file + ".link", withDestinationPath: file)
        command.environment["PATCHBAY_LOG"] = file + ".link"
        try command.run("list", "users").expectRefusal(10, "is a link, which is not followed")
        command.environment["PATCHBAY_LOG"] = "-"
        let both = try command.run(flags + ["--log"])
        #expect(both.errors.split(separator: "\n").count { $0.contains(" GET http") } == count, "\(both)")
    }
}
#endif
