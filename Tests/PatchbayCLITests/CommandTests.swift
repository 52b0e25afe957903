import Foundation
import TestSupport
import Testing

/// Tests the output and exit status of the real command in a real process.
@Suite("The command", .mayBlock)
struct CommandTests {
    private static let storages = ["sqlite", "lmdb", "flatfile", "memory"]

    private let command: Command

    init() throws { command = try Command() }

    @Test("list users prints the rows of the golden file over every storage")
    func golden() throws {
        let golden = try String(
            contentsOfFile: Checkout.path("Tests/PatchbayCLITests/Golden/users-list.txt"), encoding: .utf8)
        for storage in Self.storages {
            let outcome = try command.run("list", "users", "--storage", storage)
            #expect(outcome.status == 0)
            #expect(outcome.output == golden, "\(storage)")
            #expect(
                outcome.errors.hasPrefix(
                    "20 users, recorded in sample.har, more: --after "))
        }
    }

    @Test(
        "a second run reports unchanged rows; offline, rows are printed with their age",
        arguments: ["sqlite", "lmdb", "flatfile"])
    func again(_ storage: String) throws {
        let first = try command.run("list", "users", "--storage", storage)
        let second = try command.run("list", "users", "--storage", storage)
        #expect(second.output == first.output)
        #expect(second.errors.hasPrefix("20 users, unchanged in sample.har"))
        let offline = try command.run(
            "list", "users", "--storage", storage, "--offline", "--set", "source.path=/gone/sample.har")
        #expect(offline.output == first.output)
        #expect(offline.errors.contains("stored "))
        #expect(offline.status == 0)
    }

    @Test("an argument that is not UTF-8 is refused, because it would name another file")
    func bytes() async throws {
        let shell = Command(in: command.directory, program: "/bin/bash")
        let script = "exec '\(Command.executable.path)' list users --set storage.path=$'a\\xff.sqlite'"
        try await shell.finished(["-c", script]).expectRefusal(
            2, "the argument \"storage.path=a\u{FFFD}.sqlite\" is not UTF-8 text")
        #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory).isEmpty)
    }

    @Test("show users follows a rename, and reports a missing user")
    func show() throws {
        let renamed = try command.run("show", "users", "Tessaline-Oldmoor", "--format", "json")
        #expect(renamed.output.contains("\"login\": \"Tessaline-Fenwater\""))
        let missing = try command.run("show", "users", "nobody-at-quernwick")
        #expect(missing.status == 4)
        #expect(missing.output.isEmpty)
        // A slow machine reports that it waits.
        #expect(missing.errors.split(separator: "\n").count == 1)
    }

    @Test("text from outside cannot reach the terminal as control characters")
    func harmless() throws {
        let table = try command.run("show", "users", "Escapement-Ada")
        #expect(table.status == 0)
        #expect(!table.output.contains("\u{1B}"))
        let json = try command.run("show", "users", "Escapement-Ada", "--format", "json")
        #expect(json.output.contains("\\u001b[31m"))
    }

    @Test(
        "a wrong call prints one clear line and no rows, and has a documented status",
        arguments: [
            (["list", "users", "--storage", "sqlit"], 3, "did you mean \"sqlite\"?"),
            (["list", "users", "--set", "storage.pth=x"], 3, "did you mean \"storage.path\"?"),
            (["list", "users", "--set", "source.path=/none.har"], 3, "/none.har"),
            (["list", "users", "--set", "storage.path=/no/such/folder/x.sqlite"], 3, "/no/such/folder"),
            (
                ["list", "users", "--storage", "lmdb", "--set", "storage.path=/no/such/folder/x"], 3,
                "/no/such/folder"
            ),
            (
                ["list", "users", "--storage", "flatfile", "--set", "storage.path=/no/such/folder/x"], 3,
                "/no/such/folder"
            ),
            (
                ["list", "users", "--limit", "0"], 2,
                "'0' is invalid for '--limit <count>': expected a whole number, at least 1"
            ),
            (["list", "users", "--limit", "-5"], 2, "'-5' is invalid for '--limit <count>': expected"),
            (["list", "users", "--limit", "abc"], 2, "'abc' is invalid for '--limit <count>': expected a"),
            (["list", "repos", "x", "--batch", "10001"], 2, "from 1 to 10000"),
            (["list", "users", "--color", "sometimes"], 2, "'auto', 'always' or 'never'"),
            (
                ["list", "users", "--json", "login", "--fields", "id"], 2,
                "--json and --fields cannot be used together"
            ),
            (
                ["list", "users", "--json", "login", "-f", "csv"], 2,
                "--json and --format csv cannot be used together"
            ),
            (
                ["list", "users", "--json", "logn"], 2,
                "no field \"logn\" (did you mean \"login\"?); known: login, id"
            ),
            (
                ["--config", "x.conf", "list", "users"], 2,
                "options follow the command: patchbay COMMAND --config"
            ),
            (["--verison"], 2, "there is no option \"--verison\" (did you mean \"--version\"?)"),
            (["list", "users", "--json", ","], 2, "--json names no field"),
            (["list", "users", "--json"], 2, "'--json <name,...>'"),
            (["list", "users", "--limit", "--offline"], 2, "'--offline' is invalid for '--limit <count>'"),
            (
                ["list", "users", "--after", "-1"], 2,
                "'-1' is invalid for '--after <value>': expected a whole"
            ),
            (["list", "users", "--after", "9223372036854775808"], 2, "expected a whole number, at least 0"),
            (["browse", "users", "--maximum", "-1"], 2, "from 1 to 10000"),
            (["search", "users", "x", "--page", "0"], 2, "'0' is invalid for '--page <number>'"),
            (["list", "repos", "x", "--batch", "-1"], 2, "'-1' is invalid for '--batch <count>'"),
            (["sync", "users", "--max-requests", "0"], 2, "expected a whole number, at least 1"),
            (["list", "users", "--offline", "--refresh"], 2, "cannot be used together"),
            (["list", "users", "--after", "5"], 15, "/users?"),
            (["list", "repos", "apple"], 15, "no source is chosen, so the bundled recording was read"),
            (["list", "users", "--format", "xml"], 2, "xml"),
            (["favorites", "list"], 2, "did you mean \"patchbay favourites\"?"),
            (["list", "USERS"], 2, "there is no resource \"USERS\" (did you mean \"users\"?)"),
            (["users", "list", "-n", "3"], 2, "the verb comes first: patchbay list users -n 3\n"),
            (["users", "ls"], 2, "the verb comes first: patchbay ls users\n"),
            (["users", "lst"], 2, "the verb comes first: patchbay list users; \"patchbay resources users\""),
            (["lsit", "users"], 2, "no command \"patchbay lsit\"; did you mean \"patchbay list\"?"),
            (["help", "xyzzy"], 2, "no command \"patchbay xyzzy\"; \"patchbay --help\" lists all"),
            (["help", "storage", "inf"], 2, "inf\"; did you mean \"patchbay storage info\"?"),
            (["xyzzy"], 2, "no command \"patchbay xyzzy\"; \"patchbay --help\" lists all"),
            (
                ["watch", "usres"], 2,
                "there is no resource \"usres\" (did you mean \"users\"?); known: users, "
            ),
            (["list", "repos", "x", "--by", "og"], 2, "there is no view \"og\" (did you mean \"org\"?)"),
            (["list", "users", "--by", "org"], 2, "users have no views"),
            (["edit", "users", "x", "nme=y"], 2, "no field to edit \"nme\" (did you mean \"name\"?)"),
            (["edit", "users", "x", "name"], 2, "\"name\" is not field=value"),
            (["edit", "users", "x", "name=a", "name=b"], 2, "the field name is given twice"),
            (["edit", "commits", "x", "sha=y"], 2, "have no fields to edit"),
            (["list", "users", "--batch", "2"], 2, "--batch is for lists without an order; users have one"),
            (
                ["list", "repos", "x", "--after", "2"], 2,
                "--after is for lists with an order; repos have none"
            ),
            (["watch", "users", "--storage", "lmdb"], 4, "nothing is stored at"),
            (["list", "users", "extra"], 2, "\"extra\"; \"patchbay show users extra\" shows one row"),
            (["storage", "inf"], 2, "\"patchbay storage inf\"; did you mean \"patchbay storage info\"?"),
            (["storage", "--inf"], 2, "option '--inf'"),
            (["help", "users"], 2, "\"patchbay resources users\" describes them"),
            (["plugins", "show", "lmbd"], 4, "did you mean \"lmdb\"?"),
            (["list", "users", "--config", "none.conf"], 3, "none.conf"),
            (["show", "users", ""], 2, "login"),
        ])
    func wrongCalls(_ arguments: [String], _ status: Int32, _ words: String) throws {
        try command.run(arguments).expectRefusal(status, words)
    }

    @Test(
        "different kinds of invalid recordings have different messages",
        arguments: [
            ("no JSON here", "is not JSON"), ("{\"a\": 1}", "HAR"), ("", "x.har"),
            ("{\"log\": {\"entries\": [", "truncated"),
            ("{\"log\": {\"entries\": []}}", "x.har"),
        ])
    func wrongRecordings(_ text: String, _ words: String) throws {
        try command.write(text, to: "x.har")
        let outcome = try command.run("list", "users", "--set", "source.path=x.har")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("config show prints every value and where it was set; config check reports all faults")
    func configuration() throws {
        let text = "storage = lmdb\nstorage.path = data\nstorage.durabilty = full\nsource = recored\n"
        try command.write(text, to: "patchbay.conf")
        let check = try command.run("config", "check")
        #expect(check.status == 3)
        #expect(check.errors.split(separator: "\n").count == 2, "\(check.errors)")
        try command.write("storage = lmdb\nstorage.path = data\n", to: "patchbay.conf")
        let show = try command.run("config", "show", "--set", "storage.durability=off", "--format", "csv")
        #expect(show.output.contains("storage.durability,off,option --set"), "\(show.output)")
        #expect(show.output.contains("storage,lmdb,patchbay.conf:1"))
        #expect(try command.run("config", "check").output.hasPrefix("ok: patchbay.conf"))
    }

    @Test(
        "config check reports what serve would refuse",
        arguments: [
            ("listen = 99999", "serve.listen = \"99999\": \"99999\" must be unix:PATH, HOST:PORT or systemd"),
            (
                "listen = unix:/tmp/s\nserve.key = k.pem",
                "needs serve.certificate, the file with its certificate"
            ),
            (
                "client.a.token = file:nothing\nserve.client.a.requests = 500",
                "serve.client.a.requests = \"500\": must be a number per hour or per day, such as 500/hour "
                    + "(at: serve.conf:2)"
            ),
            (
                "client.a.token = env:A\nserve.client.a.resources = users repos:langage",
                "repositories have no field \"langage\" (did you mean \"language\"?)"
            ),
            (
                "client.a.token = env:A\nserve.client.a.resources = user",
                "there is no resource \"user\" (did you mean \"users\"?)"
            ),
            ("client.a.owner = on", "needs serve.client.a.token"),
            ("allow-host = */x", "must be NAME or NAME:PORT (at: serve.conf:1)"),
        ])
    func serving(_ lines: String, _ message: String) throws {
        try command.write("serve.\(lines)\n", to: "serve.conf")
        let check = try command.run("config", "check", "--config", "serve.conf")
        #expect(check.status == 3)
        #expect(check.errors.contains(message), "\(check.errors)")
    }

    @Test("config check warns of secrets that cannot be read, and runs no program for one")
    func secrets() throws {
        let places = ["env:NOT_SET", "env:EMPTY", "file:nothing", "command:touch RUN"]
        let lines = zip(["a", "b", "c", "d"], places).map { "serve.client.\($0).token = \($1)\n" }
        let resources = ["a", "b", "c", "d"].map { "serve.client.\($0).resources = users\n" }
        try command.write((lines + resources).joined(), to: "serve.conf")
        var asking = command
        asking.environment["EMPTY"] = ""
        let check = try asking.run("config", "check", "--config", "serve.conf")
        #expect(check.status == 0 && check.output.hasPrefix("ok: "), "\(check)")
        let warnings = check.errors.split(separator: "\n")
        let words = ["names a variable that is not set", "contains no secret", "does not exist"]
        try #require(warnings.count == words.count, "\(check.errors)")
        for (number, word) in words.enumerated() {
            #expect(warnings[number].hasPrefix("warning: serve.client."))
            #expect(warnings[number].contains(word) && warnings[number].contains("serve.conf:\(number + 1)"))
        }
        #expect(!FileManager.default.fileExists(atPath: command.directory + "/RUN"))
    }

    @Test("a configuration that cannot be read is reported instead of a resource that it may declare")
    func unreadable() throws {
        var utf16 = Data([0xFF, 0xFE])
        for byte in "source = x\n".utf8 { utf16 += Data([byte, 0]) }
        let texts: [(Data, String)] = [
            (utf16, "is not UTF-8 text"),
            (Data("source = \"".utf8) + Data([0xE9]), "is not UTF-8 text"),
            (Data("source = \"x".utf8), "closing quote is missing"),
        ]
        for (bytes, words) in texts {
            try bytes.write(to: URL(fileURLWithPath: command.directory + "/patchbay.conf"))
            for call in [["list", "things"], ["list", "things", "--config", "patchbay.conf"]] {
                let run = try command.run(call)
                #expect(run.status == 3)
                #expect(run.errors.contains(words) && run.errors.contains("patchbay.conf"), "\(run.errors)")
            }
        }
    }

    @Test("config check reports unreadable lines, keys, values and paths at once, with their places")
    func allFaults() throws {
        let text = """
            storage = sqlite
            storage.path = "unclosed
            nonsense
            storage.durability = much
            storage = lmdb
            storage.pth = x
            source.path = ${NOT_SET}/x.har
            list.limit = none
            """
        try command.write(text, to: "patchbay.conf")
        var asking = command
        asking.environment["PATCHBAY_STORAGE_PAHT"] = "x"
        let check = try asking.run("config", "check", "--set", "source.colour=red")
        #expect(check.status == 3)
        #expect(check.output.isEmpty)
        let lines = check.errors.split(separator: "\n")
        let words = [
            "closing quote is missing (at: patchbay.conf:2)", "(at: patchbay.conf:3)",
            "storage is set twice: in line 1 and again here; remove one (at: patchbay.conf:5)",
            "PATCHBAY_STORAGE_PAHT", "storage.durability = \"much\"", "did you mean \"storage.path\"?",
            "list.limit = \"none\"", "unknown key \"source.colour\"", "variable NOT_SET is not set",
        ]
        #expect(lines.count == words.count, "\(check.errors)")
        for (line, word) in zip(lines, words) { #expect(line.contains(word)) }
        for number in [4, 6, 7, 8] { #expect(check.errors.contains("patchbay.conf:\(number)")) }
        #expect(try asking.run("list", "users").errors.contains("patchbay.conf:2"))
    }

    @Test(
        "a number that an option of the source does not allow is reported, and not passed to the source",
        arguments: [["list", "users"], ["config", "check"]])
    func numberOutOfRange(_ words: [String]) throws {
        let outcome = try command.run(words + ["--source", "synthetic", "--set", "source.users=0"])
        #expect(outcome.status == 3)
        #expect(
            outcome.errors == "patchbay: source.users = \"0\" must be a whole number from 1 to 1000000000000 "
                + "(at: option --set)\n")
    }

    @Test("the faults of a file with only wrong lines are reported up to a limit")
    func manyFaults() throws {
        let text = String(repeating: "nonsense\n", count: 5_000)
        try command.write(text, to: "patchbay.conf")
        let check = try command.run("config", "check")
        #expect(check.status == 3 && check.errors.split(separator: "\n").count == 100)
    }

    @Test("help, version and completions go to standard output")
    func data() throws {
        #expect(try command.run("--version").output.hasPrefix("patchbay "))
        #expect(try command.run("--help").output.contains("SUBCOMMANDS"))
        #expect(try command.run("list", "users", "--help").output.contains("--after"))
        #expect(try command.run("--generate-completion-script", "bash").output.contains("patchbay"))
    }

    @Test("a reader that closes the output early does not cause a failure")
    func brokenPipe() throws {
        let pipe = Pipe()
        let process = try command.start(
            ["list", "users", "--limit", "100", "--format", "json"], output: pipe.fileHandleForWriting,
            errors: FileHandle.nullDevice)
        try pipe.fileHandleForReading.close()
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }
}
