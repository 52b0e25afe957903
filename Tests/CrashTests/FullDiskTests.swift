import Foundation
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

/// Runs the real command when nothing more can be written.
@Suite("A full disk", .mayBlock)
struct FullDiskTests {
    private static let storages = StoragePlaces.files

    @Test(
        "a file that cannot grow is reported as a full storage; acknowledged rows stay, and writing can continue",
        arguments: storages)
    func fileSize(_ storage: String) throws {
        let folder = try TemporaryDirectory()
        // 600 blocks of 512 bytes or 1 KiB, depending on the shell. The signal is ignored because it would end the
        // process.
        try expectFull(storage, folder.path, before: "trap '' XFSZ && ulimit -f 600 &&", after: "")
    }

    @Test(
        "a full file system is treated the same, and writing continues once it has room", .needsMounting,
        arguments: storages)
    func fileSystem(_ storage: String) throws {
        let folder = try TemporaryDirectory(), disk = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        #expect(try shell("mount -t tmpfs -o size=1200k tmpfs \(disk)").status == 0)
        defer { _ = try? shell("umount \(disk)") }
        try expectFull(storage, disk, before: "", after: "mount -o remount,size=20m \(disk) &&")
    }

    private func expectFull(_ storage: String, _ path: String, before: String, after: String) throws {
        let store = "--store \(storage):\(path)"
        let full = try shell("\(before) $patchbay selftest write \(store) --count 4000 --batch 10")
        #expect(full.status == 6, "\(full.lines.last ?? "")")
        let messages = full.lines.filter { $0.hasPrefix("patchbay: ") }
        #expect(messages.count == 1 && messages.first?.contains("free some space") == true, "\(messages)")
        let written = full.lines.filter { $0.hasPrefix("ACK") }.map { $0.dropFirst(4) }
        let verified = try shell("\(after) $patchbay selftest verify \(store)")
        let rows = Set(verified.lines.filter { $0.hasPrefix("ROW") }.map { $0.dropFirst(4) })
        #expect(verified.status == 0, "\(verified.lines.last ?? "")")
        #expect(!written.isEmpty && rows.isSuperset(of: written))
        let again = try shell("$patchbay selftest write \(store) --start 9000 --count 5")
        #expect(again.status == 0, "\(again.lines.last ?? "")")
    }

    /// Runs a shell command line in which `$patchbay` is the command.
    private func shell(_ line: String) throws -> (status: Int32, lines: [String]) {
        let shell = Command(in: FileManager.default.temporaryDirectory.path, program: "/bin/sh")
        let outcome = try shell.run("-c", "patchbay='\(Command.executable.path)'; { \(line); } 2>&1")
        return (outcome.status, outcome.output.split(separator: "\n").map(String.init))
    }
}
