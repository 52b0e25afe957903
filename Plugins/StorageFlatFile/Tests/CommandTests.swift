import Foundation
import PatchbayCore
import PatchbayTestKit
import StorageFlatFile
import TestSupport
import Testing

/// The real command prints one line when a storage cannot be used, and exits with the status of the error.
@Suite("the command and a storage that cannot be used")
struct CommandTests {
    /// Runs a shell line in which `$patchbay` is the command, and returns its output and status.
    private static func shell(_ line: String) throws -> (text: String, status: Int) {
        let command = "patchbay='\(Command.executable.path)'; { \(line); } 2>&1; echo \"status $?\""
        let output = try #require(Files.output(of: command))
        let lines = output.split(separator: "\n")
        let status = lines.last.flatMap { Int($0.dropFirst("status ".count)) }
        return (lines.dropLast().joined(separator: "\n"), try #require(status))
    }

    private static func expectOneLine(_ text: String, _ start: String) {
        #expect(text.hasPrefix("patchbay: ") && !text.contains("\n"), "\(text)")
        #expect(text.contains(start), "\(text)")
    }

    @Test("a folder that another process writes to is busy, and the error names the process and its command")
    func busy() async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store.flatfile"
        let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        let outcome = try CommandTests.shell("$patchbay selftest verify --store flatfile:\(directory.path)")
        #expect(outcome.status == 8)
        let holder = ProcessInfo.processInfo
        CommandTests.expectOneLine(
            outcome.text, "is open in process \(holder.processIdentifier) (\(holder.processName))")
        try await store.put(Notes.Note(1, "still writing"))
        try await store.close()
        let again = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        #expect(try await again.content().notes.count == 1)
        try await again.close()
    }

    @Test("a file in place of the folder is reported")
    func file() throws {
        let directory = try TemporaryDirectory()
        try Files.write([1], directory.path + "/store.flatfile")
        let outcome = try CommandTests.shell("$patchbay selftest verify --store flatfile:\(directory.path)")
        #expect(outcome.status == 3)
        CommandTests.expectOneLine(outcome.text, "is a file; set the path of a folder")
    }

    /// The command runs as the user nobody, because root can read everything.
    private static let user = geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups " : ""

    @Test(
        "a file or folder without permission is reported, and opens again once permitted",
        .enabled("the command cannot run as another user here") {
            try CommandTests.shell("\(user)$patchbay --version >/dev/null").status == 0
        })
    func unreadable() throws {
        let directory = try TemporaryDirectory(), store = "--store flatfile:\(directory.path)"
        let path = directory.path + "/store.flatfile", user = CommandTests.user
        unsafe chmod(directory.path, 0o777)
        #expect(try CommandTests.shell("\(user)$patchbay selftest write \(store) --count 3").status == 0)
        for (name, mode) in [("github_users.jsonl", 0o600), ("schema.json", 0o600), ("", 0o700)] {
            unsafe chmod("\(path)/\(name)", 0)
            let outcome = try CommandTests.shell("\(user)$patchbay selftest verify \(store)")
            #expect(outcome.status == 7, "\(name)")
            CommandTests.expectOneLine(outcome.text, "permission denied")
            unsafe chmod("\(path)/\(name)", mode_t(mode))
        }
        // Without write permission the storage can still be read.
        for name in ["lock", "github_users.jsonl", "index", ""] {
            unsafe chmod("\(path)/\(name)", name.contains(".") || name == "lock" ? 0o400 : 0o500)
        }
        let verified = try CommandTests.shell("\(user)$patchbay selftest verify \(store)")
        #expect(verified.status == 0 && verified.text.contains("ROW 3"))
        let written = try CommandTests.shell("\(user)$patchbay selftest write \(store) --start 9 --count 1")
        #expect(written.status == 7)
        #expect(written.text.hasSuffix("change its permissions or set another path"), "\(written.text)")
    }
}
