import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Runs the tests of `Scripts/faults` with few trials; `Scripts/crash.sh` runs many.
@Suite(
    "Kills, failing disk calls, power cuts and damage", .mayBlock, .needs("cc", "python3"),
    .timeLimit(.minutes(10)))
struct FaultTests {
    private static let trials = [("kills", 8), ("failing-calls", 6), ("power-cuts", 5), ("damage", 12)]
    /// Storages with a checksum over every row, in which every changed byte must be noticed.
    private static let checksummed: Set = ["lmdb", "flatfile"]

    @Test(
        "leave every acknowledged row, or an error that names the damage", arguments: StoragePlaces.files,
        trials)
    func storages(_ storage: String, _ test: (name: String, trials: Int)) throws {
        let seed = SeededGenerator.fromEnvironment().seed
        let unchecked = Self.checksummed.contains(storage) ? [] : ["--unchecked"]
        let outcome = try python(
            ["faults.py", test.name, storage, "--trials", "\(test.trials)", "--seed", "\(seed)"] + unchecked
                + [Command.executable.path, "selftest"])
        #expect(outcome.status == 0, "PATCHBAY_SEED=\(seed): \(outcome.output)\(outcome.errors)")
    }

    @Test("find each defect of a store that has one")
    func defects() throws {
        let outcome = try python(["selftest.py"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    private func python(_ arguments: [String]) throws -> Command.Outcome {
        let folder = try TemporaryDirectory()
        var command = Command(in: folder.path, program: "/usr/bin/env")
        command.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        command.environment["TMPDIR"] = folder.path
        command.limit = .seconds(500)
        return try command.run(
            ["python3", Checkout.path("Scripts/faults/\(arguments[0])")] + arguments.dropFirst())
    }
}
