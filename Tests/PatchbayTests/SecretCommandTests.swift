import Foundation
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import Patchbay

@Suite("Secrets that a command prints", .timeLimit(.minutes(5)))
struct SecretCommandTests {
    private func output(_ command: String, limit: Duration = .seconds(20)) async throws -> String {
        try await WorkThread("test").run { _ in
            let command = SecretCommand(command, environment: ["PATH": "/usr/bin:/bin"], limit: limit)
            return String(decoding: try command.output(), as: UTF8.self)
        }
    }

    private func failure(_ command: String, limit: Duration = .seconds(20)) async -> String {
        let failure = await #expect(throws: SecretCommand.Failure.self) {
            try await output(command, limit: limit)
        }
        return failure?.words ?? ""
    }

    @Test("the output of a command is read, and its words are passed unchanged")
    func words() async throws {
        #expect(try await output("echo a  b") == "a b\n")
        #expect(try await output("echo $HOME; `id` \"x\" > /tmp/y | z") == "$HOME; `id` \"x\" > /tmp/y | z\n")
    }

    @Test("a program that keeps running after it has closed its output is killed")
    func hasMore() async throws {
        let folder = try TemporaryDirectory()
        let script = try folder.write("echo secret; exec 1>&-; exec sleep 600", to: "script")
        #expect(await failure("sh \(script)", limit: .milliseconds(300)).contains("took longer"))
    }

    @Test("a program that is missing, fails, hangs or prints endlessly is reported and killed")
    func failures() async throws {
        #expect(
            await failure("patchbay-none").contains("cannot be started: patchbay-none was not found"))
        #expect(await failure("false").contains("status 1"))
        #expect(await failure("").contains("no program"))
        #expect(await failure("sleep 600", limit: .milliseconds(50)).contains("took longer"))
        #expect(await failure("yes").contains("more than 4096 bytes"))
    }
}
