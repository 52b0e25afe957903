import Foundation
import Glibc
import PatchbayCore
import TestSupport
import Testing

/// The real command in a pseudo-terminal.
@Suite("Browsing in a terminal", .timeLimit(.minutes(5)))
struct BrowseCommandTests {
    private let command: Command

    init() throws { command = try Command(environment: ["TERM": "xterm-256color"]) }

    private func browse(
        columns: UInt16 = 80, rows: UInt16 = 24, _ arguments: [String],
        _ body: @escaping @Sendable (PseudoTerminal) throws -> Void
    ) async throws {
        let command = command
        try await WorkThread("test").run { _ in
            try body(
                try PseudoTerminal(command, ["browse", "users"] + arguments, columns: columns, rows: rows))
        }
    }

    @Test("users can be browsed, marked, edited and found, and the terminal is restored afterwards")
    func session() async throws {
        // High enough for all fields of a user, whether or not the source has answered yet.
        try await browse(rows: 36, ["--storage", "sqlite"]) { terminal in
            let before = terminal.settings
            try terminal.wait(for: ">   900000017  Marlow-Quern")
            #expect(terminal.settings != before)
            terminal.type("\u{1B}[Bf")
            try terminal.wait(for: ">*  900003820")
            terminal.type("e\u{15}大輔 \u{1F680}\r")
            try terminal.wait(for: ">*~ 900003820")
            terminal.type("\r")
            try terminal.wait(for: "favourite         yes")
            terminal.type("\u{1B}[D/marr")
            try terminal.wait(for: "1 stored user")
            terminal.type("\u{1B}")
            try terminal.wait(for: ">*~ 900003820")
            terminal.type("ss")
            try terminal.wait(for: "by login ↑")
            terminal.resize(columns: 120, rows: 40)
            try terminal.wait(for: "PgUp PgDn Home End")
            #expect(terminal.lines.count == 40)
            terminal.type("q")
            #expect(try terminal.ended() == 0)
            #expect(terminal.settings == before)
            #expect(terminal.output.hasSuffix("\u{1B}[H\u{1B}[J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("--ring and --with name their limits, and what the rows have")
    func wrongRings() async throws {
        for (words, message) in [
            ("users --ring 0", "a whole number, from 1 to 1000"),
            ("users --with repos", "--with needs --ring"),
            ("commits ada/tides --ring 3 --with stars", "commits have no children; leave out --with"),
        ] {
            let outcome = try await command.finished(
                ["browse"] + words.split(separator: " ").map(String.init))
            #expect(outcome.status == 2 && outcome.errors.contains(message), "\(words): \(outcome.errors)")
        }
        let unknown = try await command.finished("browse", "repos", "ada", "--ring", "3", "--with", "stars")
        #expect(unknown.errors.contains("there is no kind of children \"stars\""), "\(unknown.errors)")
    }

    @Test(
        "a signal that ends the browser restores the terminal",
        arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV])
    func signals(_ number: Int32) async throws {
        try await browse(["--storage", "memory"]) { terminal in
            let before = terminal.settings
            try terminal.wait(for: "Marlow-Quern")
            kill(terminal.process.processIdentifier, number)
            #expect(try terminal.ended() == -number)
            #expect(terminal.settings == before)
            #expect(terminal.output.hasSuffix("\u{1B}[H\u{1B}[J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
        }
    }

    @Test("without a terminal, or on one that cannot move its cursor, the message names an alternative")
    func noTerminal() async throws {
        let outcome = try await command.finished("browse", "users")
        #expect(outcome.status == 15 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("browsing needs a terminal"))
        var dumb = command
        dumb.environment["TERM"] = "dumb"
        let copy = dumb
        try await WorkThread("test").run { _ in
            let terminal = try PseudoTerminal(copy, ["browse", "users"])
            #expect(try terminal.ended() == 15)
            #expect(terminal.output.contains("TERM=\"dumb\"") && !terminal.output.contains("\u{1B}"))
        }
    }

    @Test("a log on the browser's own terminal is refused")
    func log() async throws {
        let outcome = try await command.finished("browse", "users", "--log")
        #expect(outcome.status == 2 && outcome.errors.contains("PATCHBAY_LOG"))
    }

    /// `PATCHBAY_SCROLL` sets the number of scrolled rows: 100,000 for the full measurement, in a release build.
    private static let rows = Int64(ProcessInfo.processInfo.environment["PATCHBAY_SCROLL"] ?? "") ?? 1_000

    @Test(
        "memory does not grow with the number of scrolled rows, and any id can be reached directly",
        arguments: ["sqlite", "lmdb", "memory"])
    func scroll(_ storage: String) async throws {
        let arguments = [
            "--storage", storage, "--source", "synthetic", "--set", "source.users=1000000000",
        ]
        try await browse(columns: 80, rows: 55, arguments) { terminal in
            try terminal.wait(for: "> ")
            try terminal.scroll(to: 500)
            let start = terminal.memory
            try terminal.scroll(to: 500 + Self.rows * 16 / 15)
            let end = terminal.memory
            print("\(storage): \(Self.rows) rows scrolled, kB at the start \(start), at the end \(end)")
            // Scrolled rows are stored, which takes memory if the storage is in memory.
            if storage != "memory" {
                #expect(end["RssAnon"]! - start["RssAnon"]! < 10_240, "\(storage): \(start), \(end)")
            }
            for id in [999_999_000, 500_000_000, 7_000_000] as [Int64] {
                let clock = ContinuousClock.now
                terminal.type("g\(id)\r")
                try terminal.wait("id \(id)") { ($0.lastID ?? 0) > id && ($0.lastID ?? 0) < id + 100 }
                print("\(storage): to id \(id) in \(ContinuousClock.now - clock)")
            }
            terminal.type("q")
            #expect(try terminal.ended() == 0)
        }
    }
}

extension PseudoTerminal {
    /// The last id on the screen, from the state at the bottom.
    fileprivate var lastID: Int64? {
        screen.firstMatch(of: #/\n \d+–(\d+) · /#).flatMap { Int64($0.1) }
    }

    /// Presses PageDown until an id is passed.
    fileprivate func scroll(to id: Int64) throws {
        while true {
            let last = lastID ?? 0
            if last >= id { return }
            var looks = 0
            try wait("more than \(last)") { terminal in
                // A key that is pressed during a request moves only to the end of the loaded rows.
                if looks % 5 == 0 { terminal.type("\u{1B}[6~") }
                looks += 1
                return (terminal.lastID ?? 0) > last
            }
        }
    }

    /// The process's memory in kB.
    fileprivate var memory: [String: Int] {
        let path = "/proc/\(process.processIdentifier)/status"
        // A process that has ended has no status, and then the test fails because the values are missing.
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return Dictionary(
            text.matches(of: /(VmRSS|RssAnon):\s+(\d+) kB/).map { (String($0.1), Int($0.2) ?? 0) },
            uniquingKeysWith: { $1 })
    }
}
