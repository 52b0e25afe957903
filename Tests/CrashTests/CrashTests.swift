import Foundation
import Patchbay
import PatchbayCore
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

/// Kills real processes during their writes and checks the rows that remain.
///
/// `PATCHBAY_CRASHES` sets the number of kills for each storage (`make long`); the default is a few.
@Suite("After SIGKILL", .mayBlock)
struct CrashTests {
    private static let storages = StoragePlaces.durable
    private let kills = ProcessInfo.processInfo.environment["PATCHBAY_CRASHES"].flatMap(Int.init) ?? 4

    @Test("every acknowledged write is stored, and no other rows are", arguments: storages)
    func killed(_ storage: String) throws {
        let folder = try TemporaryDirectory(), places = StoragePlaces()
        let command = Command(in: folder.path)
        var acknowledged: [String: String] = [:], tried: Set<String> = []
        var generator = SeededGenerator.fromEnvironment()
        for round in 0..<kills {
            let start = round * 1_000_000 + 1
            let pipe = Pipe()
            let writer = try command.start(
                ["selftest", "write"] + places.selftest(storage, in: folder.path) + ["--start", "\(start)"],
                output: pipe, errors: FileHandle.nullDevice)
            // Time does not matter: every write that was acknowledged before the kill is checked.
            let wanted = Int.random(in: 2...400, using: &generator)
            var log = Data()
            while log.count(where: { $0 == 0x0A }) < wanted {
                let bytes = pipe.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                log += bytes
            }
            writer.send(SIGKILL)
            writer.waitUntilExit()
            log += pipe.fileHandleForReading.readDataToEndOfFile()
            for line in String(decoding: log, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                if words.first == "TRY", words.count == 2 { tried.insert(words[1]) }
                if words.first == "ACK", words.count == 3 { acknowledged[words[1]] = words[2] }
            }
            try verify(command, places.selftest(storage, in: folder.path), acknowledged, tried)
        }
        #expect(acknowledged.count >= kills)
    }

    private func verify(
        _ command: Command, _ store: [String], _ acknowledged: [String: String], _ tried: Set<String>
    ) throws {
        let outcome = try command.run(["selftest", "verify"] + store)
        #expect(outcome.status == 0, "\(outcome.errors)")
        var rows: [String: String] = [:]
        for line in outcome.output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            rows[words[1]] = words[2]
        }
        let lost = acknowledged.filter { rows[$0.key] != $0.value }
        #expect(
            lost.isEmpty,
            "\(lost.count) acknowledged rows are lost or changed: \(lost.keys.sorted().prefix(5))")
        let invented = rows.keys.filter { !tried.contains($0) }
        #expect(
            invented.isEmpty, "\(invented.count) rows that were never written: \(invented.sorted().prefix(5))"
        )
    }
}
