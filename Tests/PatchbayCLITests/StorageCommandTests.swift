import Foundation
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import TestSupport
import Testing

/// Runs `patchbay storage` as users do.
@Suite("The storage commands", .mayBlock)
struct StorageCommandTests {
    private static let storages = ["sqlite", "lmdb", "flatfile"]

    private let command: Command

    init() throws { command = try Command() }

    /// Compares with a golden file, or rewrites the file if `PATCHBAY_UPDATE` is set.
    private func expect(_ text: String, is name: String) throws {
        #expect(try text == Checkout.golden("Tests/PatchbayCLITests/Golden/\(name)", for: text), "\(name)")
    }

    /// Creates a storage with some rows and returns the options that select it.
    @discardableResult
    private func fill(_ storage: String, rows: Int = 3) throws -> [String] {
        let outcome = try command.run(
            "selftest", "write", "--store", "\(storage):\(command.directory)", "--count", "\(rows)",
            "--batch",
            "1000",
            "--durability", "off")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return choosing(storage, "store.\(storage)")
    }

    private func choosing(_ storage: String, _ path: String) -> [String] {
        ["--storage", storage, "--set", "storage.path=\(path)"]
    }

    private func storage(_ arguments: [String]) throws -> Command.Outcome {
        try command.run(["storage"] + arguments)
    }

    @Test("doctor reports a storage that is read but cannot be written", arguments: storages)
    func unwritable(_ storage: String) throws {
        let chosen = try fill(storage), executable = Command.executable.path
        let words = (["doctor", "--offline"] + chosen).joined(separator: " ")
        let healthy = try command.run(line: words)
        #expect(healthy.status == 0, "\(healthy)")
        let shell = Command(in: command.directory, program: "/bin/sh")
        let full = try shell.run("-c", "trap '' XFSZ; ulimit -f 200; exec '\(executable)' \(words)")
        #expect(full.status == 6 && full.output.contains("cannot be saved"), "\(full)")
        // Root may write anywhere.
        let user = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/" : ""
        let isUsable = try shell.run("-c", "chmod a+rx . && \(user) '\(executable)' --version").status == 0
        guard isUsable else { return }
        let script =
            "chmod -R a+rX,a-w store.* . && \(user) '\(executable)' \(words); s=$?; chmod -R u+w .; exit $s"
        let denied = try shell.run("-c", script)
        #expect(denied.status == 7 && denied.output.contains("opens, no faults"), "\(denied)")
        #expect(denied.output.contains("fetched rows and edits cannot be saved"), "\(denied)")
        let missing = script.replacingOccurrences(of: "path=store.", with: "path=./other.")
        let other = try shell.run("-c", missing)
        #expect(other.status == 7 && other.output.contains("nothing can be created in"), "\(other)")
        #expect(try command.run(line: words).status == 0)
    }

    @Test("info prints the lines of the golden file")
    func info() throws {
        try expect(storage(["info", "--storage", "memory"]).output, is: "storage-info.txt")
        for name in Self.storages {
            let chosen = try fill(name)
            let lines = try storage(["info", "--format", "jsonl"] + chosen).output.split(separator: "\n")
            #expect(lines.contains("{\"about\":\"storage\",\"name\":\"plugin\",\"value\":\"\(name)\"}"))
            #expect(lines.contains("{\"about\":\"rows\",\"name\":\"github_users\",\"value\":3}"))
        }
    }

    @Test("exports match the golden files over every storage, and imports restore the same rows")
    func export() throws {
        for name in Self.storages {
            let chosen = try fill(name)
            let all = try storage(["export"] + chosen)
            try expect(all.output, is: "storage-export.jsonl")
            #expect(all.errors == "3 rows exported\n")
            let csv = try storage(
                ["export", "--collection", "github_users", "--format", "csv", "-"] + chosen)
            try expect(csv.output, is: "storage-export.csv")
            let file = "\(name).csv"
            let exported = try storage(["export", file, "--collection", "github_users"] + chosen)
            #expect(exported.status == 0 && exported.errors == "3 rows exported to \"\(file)\"\n")
            let copy = choosing(name, "\(name)-imported")
            let imported = try storage(["import", file, "--collection", "github_users"] + copy)
            #expect(imported.errors == "3 rows imported\n")
            #expect(try storage(["export"] + copy).output == all.output)
        }
    }

    @Test("a file appears only when it is complete, and none is overwritten")
    func exportFile() throws {
        let chosen = try fill("sqlite")
        let refused = try storage(["export", "rows.csv"] + chosen)
        #expect(refused.status == 15)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: command.directory).allSatisfy {
                !$0.contains("rows")
            })
        try command.write("mine", to: "rows.jsonl")
        #expect(try storage(["export", "rows.jsonl"] + chosen).status == 9)
        #expect(try command.text(of: "rows.jsonl") == "mine")
    }

    @Test(
        "verify reports no faults, or names the fault and has its own status", .needs("sqlite3"))
    func verify() throws {
        for name in Self.storages {
            let sound = try storage(["verify"] + fill(name))
            #expect(sound.status == 0)
            #expect(sound.errors == "no faults in 3 github_users\n")
            #expect(sound.output.isEmpty)
        }
        let database = command.directory + "/store.sqlite"
        let shell = Command(in: command.directory, program: "/usr/bin/sqlite3")
        #expect(
            try shell.run(database, "UPDATE github_users SET bio = CAST(x'ff' AS TEXT) WHERE id = 2").status
                == 0)
        let faulty = try storage(["verify", "--format", "csv"] + choosing("sqlite", "store.sqlite"))
        #expect(faulty.status == 5)
        #expect(
            faulty.output.contains(
                "github_users 2,bio is not text: it holds U+0000 or bytes that are not UTF-8"))
        #expect(faulty.errors == "1 fault in 3 github_users\n")
    }

    @Test("copy prints the golden table between any two storages; running it again checks the copy")
    func copy() throws {
        for from in Self.storages {
            try fill(from, rows: 2_000)
            for to in Self.storages {
                let arguments = [
                    "copy", "--from", "\(from):store.\(from)", "--to", "\(to):\(from)-\(to)", "--verify",
                ]
                let copied = try storage(arguments)
                #expect(copied.status == 0, "\(copied.errors)")
                try expect(copied.output, is: "storage-copy.txt")
                let again = try storage(arguments)
                #expect(again.status == 0, "\(again.errors)")
                #expect(again.errors.hasPrefix("already copied to \(to) "))
                #expect(again.output == copied.output)
            }
        }
    }

    @Test("copy accepts configuration files, and ignores the environment's storage on both sides")
    func copyOfConfigurations() throws {
        try fill("sqlite")
        try command.write("storage = sqlite\nstorage.path = store.sqlite\n", to: "from.conf")
        try command.write("storage = lmdb\nstorage.path = to\n", to: "to.conf")
        var command = command
        command.environment = ["PATCHBAY_STORAGE": "flatfile", "PATCHBAY_STORAGE_PATH": "elsewhere"]
        let copied = try command.run(
            "storage", "copy", "--from", "from.conf", "--to", "to.conf", "--format", "csv")
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(copied.output == "collection,rows,digest\ngithub_users,3,\n")
    }

    @Test("rows of the first schema are shown by a first command that is offline", arguments: storages)
    func offline(_ name: String) throws {
        var lines = try storage(["export"] + fill(name)).output.split(separator: "\n").map(String.init)
        let place = try #require(lines.firstIndex { $0.contains("\"_definition\":\"github_users(") })
        for added in [
            ", missing_since_ms integer null, change_number integer null own", "; by_change change_number",
        ] {
            #expect(lines[place].contains(added))
            lines[place] = lines[place].replacingOccurrences(of: added, with: "")
        }
        let old = choosing(name, "old")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(
            to: URL(fileURLWithPath: "\(command.directory)/old.jsonl"))
        #expect(try storage(["import", "old.jsonl"] + old).status == 0)
        #expect(try !storage(["export"] + old).output.contains("change_number integer null own; key id"))
        let shown = try command.run(["list", "users", "--offline", "--format", "jsonl"] + old)
        #expect(shown.status == 0 && shown.output.split(separator: "\n").count == 3, "\(shown.errors)")
    }

    @Test(
        "migrate reports that there is nothing to do; compact and backup preserve the rows",
        arguments: ["sqlite", "lmdb", "flatfile"])
    func maintenance(_ name: String) throws {
        let chosen = try fill(name), version = Schema.patchbay.version
        // The program that wrote the storage did not declare all collections of the source.
        #expect(
            try storage(["migrate"] + chosen).errors.hasSuffix("the storage now has schema \(version)\n"))
        #expect(
            try storage(["migrate"] + chosen).errors
                == "nothing to migrate: the storage has schema \(version)\n")
        let rows = try storage(["export"] + chosen).output
        #expect(try storage(["compact"] + chosen).errors.contains("bytes before"))
        #expect(try storage(["export"] + chosen).output == rows)
    }

    @Test(
        "a wrong call prints one clear line and has a documented status",
        arguments: [
            (["info", "--set", "storage.path=none"], 4, "nothing is stored at"),
            (["verify", "--set", "storage.path=none"], 4, "nothing is stored at"),
            (["export", "--set", "storage.path=none"], 4, "nothing is stored at"),
            (
                ["export", "--storage", "memory", "--collection", "user"], 4,
                "there is no collection \"user\""
            ),
            (
                ["import", "--storage", "memory", "--collection", "github_user", "/dev/null"], 4,
                "did you mean \"github_users\"?"
            ),
            (["backup", "--storage", "memory", "none/x"], 4, "the folder \"none\" does not exist"),
            (["backup", "--storage", "memory", "/bin/sh/x"], 10, "\"/bin/sh\" is not a folder"),
            (["export", "--storage", "memory", "--format", "xml"], 2, "choose one of jsonl, csv"),
            (["export", "--storage", "memory", "none/x.jsonl"], 4, "none/x.jsonl"),
            (["import", "--storage", "memory", "none.jsonl"], 4, "none.jsonl"),
            (["import", "--storage", "memory", "/"], 10, "patchbay: \"/\" cannot be read: is a directory ("),
            (["import", "--storage", "memory"], 2, "<file>"),
            (["backup", "--storage", "memory", ""], 2, "path of the backup is empty"),
            (["copy", "--from", "sqlite:x"], 2, "--to"),
            (["copy", "--from", "sqlite:none", "--to", "lmdb:x"], 4, "nothing is stored at"),
            (["copy", "--from", "sqlit:none", "--to", "lmdb:x"], 3, "did you mean \"sqlite\"?"),
            (
                ["copy", "--from", "none", "--to", "lmdb:x"], 3,
                "\"none\" is neither a configuration file nor storage:path"
            ),
            (["copy", "--from", "/", "--to", "lmdb:x"], 3, "\"/\" is a folder; name its storage"),
            (
                ["copy", "--from", "/bin/sh", "--to", "lmdb:x"], 3,
                "\"/bin/sh\" is not a configuration file; for a storage, name its kind: \"sqlite:/bin/sh\"; because"
            ),
        ])
    func wrongCalls(_ arguments: [String], _ status: Int32, _ words: String) throws {
        try storage(arguments).expectRefusal(status, words)
    }

    @Test("a message is one line, whatever it quotes")
    func oneLine() throws {
        let chosen = try fill("sqlite")
        for line in [["backup", "a\nb"] + chosen, ["backup", "a\nb"] + chosen, ["back\nup"] + chosen] {
            let errors = try storage(line).errors
            #expect(errors.hasSuffix("\n") && !errors.dropLast().contains("\n"), "\(errors)")
        }
    }

    @Test(
        "Ctrl-C during an export or a backup leaves nothing unfinished",
        arguments: [("export", "sqlite"), ("backup", "sqlite"), ("backup", "lmdb"), ("backup", "flatfile")])
    func interruptedCopy(_ verb: String, _ storage: String) throws {
        let pair = ["--source", "synthetic", "--set", "source.users=20000", "--storage", storage]
        #expect(try command.run(["sync", "users"] + pair).status == 0)
        let process = try command.start(
            ["storage", verb, "copy"] + pair, output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: command.directory).filter {
                $0.hasPrefix("copy")
            }
        }
        while process.isRunning, try names().isEmpty { usleep(1_000) }
        process.interrupt()
        process.waitUntilExit()
        // The copy may be complete just before the signal.
        let left = try names()
        #expect(left == ["copy"] || (left.isEmpty && process.terminationReason == .uncaughtSignal), "\(left)")
    }

    @Test("a signal that the process was started to ignore does not end it", .timeLimit(.minutes(5)))
    func ignored() throws {
        let pipe = command.directory + "/pipe", executable = Command.executable.path
        unsafe #expect(mkfifo(pipe, 0o600) == 0)
        let shell = Command(in: command.directory, program: "/bin/sh")
        let script = "trap '' INT; exec '\(executable)' storage import pipe --storage memory"
        let process = try shell.start(
            ["-c", script], output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
        var writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
        while writer < 0, process.isRunning {
            usleep(1_000)
            writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
        }
        process.interrupt()
        close(writer)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
    }

    @Test("Ctrl-C reports the consequence and ends the process by the signal", .timeLimit(.minutes(5)))
    func interrupted() throws {
        // The command opens the pipe only when it is ready for the signal; until then, opening the test's end fails.
        let pipe = command.directory + "/pipe", log = command.directory + "/errors"
        unsafe #expect(mkfifo(pipe, 0o600) == 0)
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let process = try command.start(
            ["storage", "import", "pipe", "--storage", "memory"], output: FileHandle.nullDevice,
            errors: try #require(FileHandle(forWritingAtPath: log)))
        var writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
        while writer < 0, process.isRunning {
            usleep(1_000)
            writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
        }
        process.interrupt()
        process.waitUntilExit()
        close(writer)
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == SIGINT)
        let told = try String(contentsOfFile: log, encoding: .utf8)
        #expect(
            told
                == "patchbay: interrupted; some rows may have been imported; run the same command to import all\n"
        )
    }
}
