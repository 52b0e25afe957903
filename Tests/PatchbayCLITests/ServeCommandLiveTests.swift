#if Live
import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@Suite("The command serve", .timeLimit(.minutes(5)), .mayBlock)
struct ServeCommandLiveTests {
    /// Starts a server over TCP, stops it when it listens, and returns what it wrote to standard error.
    private func served(_ folder: TemporaryDirectory, _ words: String...) throws -> [String] {
        var command = Command(in: folder.path)
        command.environment = ["TOKEN": "ghp_s3cret"]
        let errors = Pipe(), output = Pipe()
        let process = try command.start(
            ["serve", "--source", "github", "--storage", "memory", "--listen", "127.0.0.1:0"] + words,
            output: output, errors: errors)
        var text = ""
        while true {
            let piece = errors.fileHandleForReading.availableData
            if piece.isEmpty { break }
            text += String(decoding: piece, as: UTF8.self)
            if text.contains("listening on"),
                !words.contains("source.token=env:TOKEN") || text.contains("/-/")
            {
                process.terminate()
            }
        }
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }

    @Test("a server over TCP with a token of a source makes its own, and writes only its path to a log")
    func made() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/.local/state/patchbay/serve-token"
        #expect(try served(folder).count == 1)
        #expect(!FileManager.default.fileExists(atPath: path), "without a source's token, none is needed")
        let lines = try served(folder, "--set", "source.token=env:TOKEN")
        #expect(lines.last == "the token for /-/ is in \"\(path)\"")
        let token = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(token.count == 64 && !lines.joined().contains(token))
        _ = try served(folder, "--set", "source.token=env:TOKEN")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(token), "it is kept")
    }

    @Test(
        "a server that may use too little memory or too few files says so", arguments: ["-n 40", "-v 307200"])
    func limits(_ limit: String) throws {
        let folder = try TemporaryDirectory()
        let shell = Command(in: folder.path, program: "/bin/bash")
        let serve = "exec '\(Command.executable.path)' serve --storage memory --listen 127.0.0.1:0"
        let outcome = try shell.run("-c", "ulimit \(limit); \(serve)")
        #expect(outcome.status > 0, "\(outcome)")
        #expect(outcome.errors.contains("(ulimit \(limit.prefix(2)))"), "\(outcome)")
        #expect(outcome.errors.contains("needs at least"), "\(outcome)")
    }
}
#endif
