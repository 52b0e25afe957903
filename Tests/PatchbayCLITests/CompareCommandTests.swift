import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Runs `patchbay compare` as users do, with real processes and files.
@Suite("The compare command", .serialized)
struct CompareCommandTests {
    private let folder: TemporaryDirectory
    private let command: Command
    private var data: String { folder.path + "/data" }

    init() throws {
        folder = try TemporaryDirectory()
        command = Command(in: folder.path)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/data", withIntermediateDirectories: false)
    }

    private func compare(_ arguments: String...) async throws -> Command.Outcome {
        try await command.finished(
            ["compare", "--data", data, "--seconds", "0.01", "--rounds", "1"] + arguments)
    }

    private var leftovers: [String] { (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? ["?"] }

    @Test("storages are measured in separate processes, agree, and leave no files")
    func compares() async throws {
        let outcome = try await compare(
            "--storage", "sqlite,lmdb,flatfile,memory", "--rows", "100", "--workloads",
            "load,open,durable-write", "--format", "csv")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let progress = outcome.errors.split(separator: "\n").map { $0.prefix { $0 != ":" } }
        #expect(progress == ["load, 100 rows", "open, 100 rows", "durable-write, 100 rows"])
        #expect(outcome.errors.hasSuffix(" rounds\n"))
        for storage in ["sqlite", "lmdb", "flatfile"] {
            for workload in ["load", "open", "durable-write"] {
                #expect(outcome.output.contains("\(workload),"))
                #expect(outcome.output.contains(storage))
            }
        }
        #expect(leftovers.isEmpty)
    }

    @Test("a table with undecided workloads is followed by the option for more rounds")
    func undecided() async throws {
        let outcome = try await compare(
            "--storage", "lmdb,memory", "--rows", "100", "--workloads", "get-key")
        #expect(outcome.status == 0 && outcome.output.contains("measure more"), "\(outcome.errors)")
        #expect(outcome.errors.contains("measure more rounds with --rounds"), "\(outcome.errors)")
    }

    @Test("a baseline that is not a comparison is refused with the command that writes one")
    func brokenBaseline() async throws {
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.path + "/base.json"))
        try await compare("--storage", "memory", "--regress", "base.json").expectRefusal(
            10, "written as JSON with \"patchbay compare --format json\"")
    }

    @Test("a configuration's settings are used, and the data at its path is left alone")
    func configurations() async throws {
        let path = folder.path + "/precious.sqlite"
        let filled = try await command.finished(
            ["selftest", "write", "--store", "sqlite:\(folder.path)", "--count", "3"])
        #expect(filled.status == 0, "\(filled.errors)")
        try FileManager.default.moveItem(atPath: folder.path + "/store.sqlite", toPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for (name, durability) in [("safe", "full"), ("fast", "off")] {
            let text = "storage = sqlite\nstorage.path = \(path)\nstorage.durability = \(durability)\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/\(name).conf"))
        }
        let outcome = try await compare(
            "safe.conf", "fast.conf", "--rows", "100", "--workloads", "durable-write", "--format", "json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\"safe\"") && outcome.output.contains("\"fast\""))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(leftovers.isEmpty)
    }

    @Test("a recording is replayed into every storage")
    func recording() async throws {
        let recording = Checkout.path("Recordings/sample.har")
        let outcome = try await compare(
            "--storage", "lmdb,memory", "--rows", "100", "--recording", recording, "--workloads",
            "ingest,recorded-list,recorded-show,recorded-get-key")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("ingest"))
    }

    @Test(
        "a wrong call prints one clear line and has a documented status",
        arguments: [
            ([], 2, "nothing to compare"),
            (["--storage", "sqlit"], 3, "did you mean \"sqlite\"?"),
            (["--storage", "lmdb", "--workloads", "laod"], 3, "did you mean \"load\"?"),
            (["--storage", "lmdb", "--workloads", "ingest"], 3, "add --recording FILE"),
            (
                ["--storage", "lmdb", "--rows", "-5"], 2,
                "'-5' is invalid for '--rows <rows>': expected a whole number, from 100 to 100000000, or a"
            ),
            (
                ["--storage", "lmdb", "--rows", "100,,200"], 2,
                "'100,,200' is invalid for '--rows <rows>': expected"
            ),
            (
                ["--storage", "lmdb", "--rows", "100,many"], 2,
                "'100,many' is invalid for '--rows <rows>': expected"
            ),
            (["--storage", "lmdb", "--rows", ""], 2, "'' is invalid for '--rows <rows>': expected"),
            (
                ["--storage", "lmdb", "--seconds", "-1"], 2,
                "'-1' is invalid for '--seconds <seconds>': expected a number, from 0.01 to 600"
            ),
            (["--storage", "lmdb", "--seconds", "nan"], 2, "'nan' is invalid for '--seconds <seconds>'"),
            (
                ["--storage", "lmdb", "--seed", "-1"], 2,
                "'-1' is invalid for '--seed <seed>': expected a whole number, at least 0"
            ),
            (
                ["--storage", "lmdb", "--rounds", "0"], 2,
                "'0' is invalid for '--rounds <rounds>': expected a whole number, from 1 to 1000"
            ),
            (["--storage", "lmdb", "--durability", "much"], 2, "choose one of full, normal, off"),
            (["--storage", "lmdb", "--data", "/no/such/folder"], 3, "\"/no/such/folder\" does not exist"),
            (["--storage", "lmdb", "--recording", "/none.har"], 3, "/none.har"),
            (["none.conf"], 3, "the configuration file \"none.conf\" does not exist"),
        ] as [([String], Int32, String)])
    func wrongCalls(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        try await command.finished(["compare"] + arguments).expectRefusal(status, words)
    }

    @Test("a killed process is reported in one line, the others continue, and no file is left")
    func killedWorker() async throws {
        let running = try await started([
            "--storage", "lmdb,flatfile", "--workloads", "get-key", "--rounds", "3",
        ])
        let children = try await running.waitForWorkers(2)
        kill(children[0], SIGKILL)
        let outcome = await running.ended()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("patchbay: lmdb failed in "), "\(outcome.errors)")
        #expect(outcome.errors.contains("its process was killed by signal 9"), "\(outcome.errors)")
        #expect(outcome.output.contains("flatfile"))
        #expect(leftovers.isEmpty)
    }

    @Test("Ctrl-C prints the results so far, and no file is left")
    func interrupted() async throws {
        let running = try await started(
            ["--storage", "lmdb,memory", "--workloads", "load,get-key", "--seconds", "600"])
        let children = try await running.waitForWorkers(2)
        try await running.waitForTurns(of: children[0])
        kill(running.process.processIdentifier, SIGINT)
        let outcome = await running.ended()
        #expect(outcome.status == -SIGINT)
        #expect(outcome.output.contains("load"))
        #expect(outcome.errors.contains("interrupted"))
        #expect(leftovers.isEmpty)
    }

    @Test("when the command itself is killed, its processes end and remove their files")
    func killedCommand() async throws {
        let running = try await started([
            "--storage", "lmdb,flatfile", "--workloads", "get-key", "--seconds", "600",
        ])
        let children = try await running.waitForWorkers(2)
        kill(running.process.processIdentifier, SIGKILL)
        _ = await running.ended()
        try await running.waitUntil("the processes have ended") { children.allSatisfy { kill($0, 0) != 0 } }
        #expect(leftovers.isEmpty)
    }

    private func started(_ arguments: [String]) async throws -> RunningCompare {
        let all = ["compare", "--data", data, "--rows", "100", "--rounds", "1"] + arguments
        return try RunningCompare(command, all, folder.path)
    }
}

/// A comparison that is running in its own process.
private struct RunningCompare {
    let process: RunningProcess
    private let output: String
    private let errors: String

    init(_ command: Command, _ arguments: [String], _ folder: String) throws {
        output = folder + "/out"
        errors = folder + "/err"
        for file in [output, errors] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        process = try command.start(
            arguments, output: try #require(FileHandle(forWritingAtPath: output)),
            errors: try #require(FileHandle(forWritingAtPath: errors)))
    }

    func ended() async -> (status: Int32, output: String, errors: String) {
        await process.ended()
        let isKilled = process.terminationReason == .uncaughtSignal
        func text(_ file: String) -> String {
            (try? String(contentsOfFile: file, encoding: .utf8)) ?? "cannot read \(file)"
        }
        return (
            isKilled ? -process.terminationStatus : process.terminationStatus, text(output), text(errors)
        )
    }

    /// Waits until there are at least `count` measuring processes, and returns them.
    func waitForWorkers(_ count: Int) async throws -> [pid_t] {
        let pid = process.processIdentifier
        var found: [pid_t] = []
        try await waitUntil("\(count) processes measure") {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
            found = tasks.flatMap { task in
                let text =
                    (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)) ?? ""
                return text.split(separator: " ").compactMap { pid_t($0) }
            }.sorted()
            return found.count >= count
        }
        return found
    }

    /// Waits until a process has done some work after loading, which shows in its processor time.
    func waitForTurns(of worker: pid_t) async throws {
        try await waitUntil("the process \(worker) works") {
            let text = (try? String(contentsOfFile: "/proc/\(worker)/stat", encoding: .utf8)) ?? ""
            let words = text.split(separator: ")").last?.split(separator: " ") ?? []
            guard words.count > 12, let user = Int(words[11]), let system = Int(words[12]) else {
                return false
            }
            return user + system > 100
        }
    }

    /// Polls for at most three minutes, without blocking a thread that other tests need.
    func waitUntil(_ what: String, _ isSo: @escaping () -> Bool) async throws {
        for _ in 0..<18_000 {
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("waited three minutes, but this did not happen: \(what)")
    }
}
