import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Runs `patchbay compare` as users do, with real processes and files.
@Suite("The compare command", .serialized)
struct CompareCommandTests {
    private let command: Command
    private var data: String { command.directory + "/data" }

    init() throws {
        command = try Command()
        try FileManager.default.createDirectory(
            atPath: command.directory + "/data", withIntermediateDirectories: false)
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
        #expect(outcome.errors.hasSuffix(" seconds\n"))
        for storage in ["sqlite", "lmdb", "flatfile"] {
            for workload in ["load", "open", "durable-write"] {
                #expect(outcome.output.contains("\(workload),"))
                #expect(outcome.output.contains(storage))
            }
        }
        #expect(leftovers.isEmpty)
    }

    @Test("a table with undecided workloads is followed by the option for more time")
    func undecided() async throws {
        let outcome = try await compare(
            "--storage", "lmdb,memory", "--rows", "100", "--workloads", "get-key")
        #expect(outcome.status == 0 && outcome.output.contains("measure longer"), "\(outcome.errors)")
        #expect(outcome.errors.contains("measure longer with --seconds"), "\(outcome.errors)")
    }

    @Test("the rows of a recording and of a filled storage are compared, whatever their resource")
    func ownRows() async throws {
        let sample = Checkout.path("Recordings/sample.har")
        let recorded = try await compare(
            "--storage", "lmdb,memory", "--recording", sample, "--resource", "repos", "--format", "csv")
        #expect(recorded.status == 0, "\(recorded.errors)")
        for workload in ["load", "get-key", "get-handle", "durable-page", "sync"] {
            #expect(recorded.output.contains("\n\(workload),"), "\(workload)")
        }
        let store = "sqlite:\(command.directory)/filled.sqlite"
        let filled = try await command.finished([
            "sync", "users", "--set", "storage.path=\(command.directory)/filled.sqlite",
        ])
        #expect(filled.status == 0, "\(filled.errors)")
        let copied = try await compare(
            "--storage", "lmdb,flatfile", "--from", store, "--workloads", "get-handle,edit")
        #expect(copied.status == 0 && copied.output.contains("users of sqlite"), "\(copied.errors)")
        #expect(leftovers.isEmpty)
    }

    @Test("rows that cannot be compared are refused with a reason")
    func refusedRows() async throws {
        let sample = Checkout.path("Recordings/sample.har")
        try command.write(TestHAR.file(), to: "empty.har")
        for (arguments, words) in [
            (["--recording", sample, "--resource", "repo-s"], "did you mean \"repos\"?"),
            (["--recording", sample, "--rows", "100"], "--rows is the number of made-up users"),
            (["--recording", sample, "--from", "lmdb:x"], "choose one"),
            (["--resource", "repos"], "--resource needs --from or --recording"),
            (["--recording", "/gone.har"], "there is no file"),
            (["--recording", command.directory + "/empty.har"], "contains no exchanges"),
            (["--from", "lmdb:\(command.directory)/none.lmdb"], "nothing is stored"),
            (["--recording", sample, "--workloads", "refresh-page"], "made-up users only"),
        ] {
            let outcome = try await command.finished(
                ["compare", "--data", data, "--storage", "memory"] + arguments)
            #expect(outcome.status != 0 && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        }
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
        return try RunningCompare(command, all, command.directory)
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
