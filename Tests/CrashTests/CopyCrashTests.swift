import Foundation
import Patchbay
import PatchbayCore
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

/// Kills real copies at random moments and runs them again.
@Suite("A copy after SIGKILL", .mayBlock, .timeLimit(.minutes(10)))
struct CopyCrashTests {
    private static let storages = StoragePlaces.durable
    private static let pairs = storages.flatMap { from in storages.map { (from, $0) } }.filter {
        $0.0 != $0.1
    }
    private static let rows = 4_000

    @Test("is completed by the same command, with equal digests and intact indexes", arguments: pairs)
    func killed(_ from: String, _ to: String) throws {
        let folder = try TemporaryDirectory(), places = StoragePlaces()
        let command = Command(in: folder.path)
        let write = try command.run(
            ["selftest", "write"] + places.selftest(from, in: folder.path)
                + ["--count", "\(Self.rows)", "--batch", "1000", "--durability", "off"])
        #expect(write.status == 0, "\(write.errors)")
        func side(_ storage: String, _ name: String) throws -> String {
            try places.side(storage, at: "\(folder.path)/\(name)") { path, text in
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            }
        }
        let copy = [
            "storage", "copy", "--from", try side(from, "store.\(from)"), "--to", try side(to, "target"),
            "--verify", "--format", "csv",
        ]
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<10 {
            let running = try command.start(
                copy, output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
            // The kill may come at any moment; the copy must resume from the state that it left.
            usleep(.random(in: 0...400_000, using: &generator))
            kill(running.processIdentifier, SIGKILL)
            running.waitUntilExit()
            if running.terminationReason == .exit { break }
        }
        let last = try command.run(copy)
        #expect(last.status == 0, "\(last.errors)")
        let again = try command.run(copy)
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.errors.hasPrefix("already copied to \(to)"))
        #expect(again.output == last.output)
        let verify = try command.run(
            ["storage", "verify"] + places.flags(to, at: "\(folder.path)/target"))
        #expect(verify.status == 0, "\(verify.errors)")
        #expect(verify.errors == "no faults in \(Self.rows) github_users\n")
        let source = places.flags(from, at: "\(folder.path)/store.\(from)")
        #expect(
            try export(command, source) == export(command, places.flags(to, at: "\(folder.path)/target")))
    }

    private func export(_ command: Command, _ storage: [String]) throws -> String {
        let outcome = try command.run(["storage", "export"] + storage)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }
}
