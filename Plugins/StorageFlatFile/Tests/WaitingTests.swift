import Foundation
import PatchbayCore
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import StorageFlatFile

@Suite("waiting for another writer", .mayBlock)
struct WaitingTests {
    @Test("a second writer waits until the first closes")
    func waits() async throws {
        let directory = try TemporaryDirectory()
        let first = try await Store(FlatFileStorage(path: directory.path), schema: Notes.schema)
        try await first.put(Notes.Note(1, "first"))
        let pauses = Mutex(0)
        var options = FlatFileStorage.Options()
        options.sleep = { _ in
            let count = pauses.withLock { pauses in
                pauses += 1
                return pauses
            }
            if count == 3 { try await first.close() }
        }
        let second = try await Store(FlatFileStorage(directory.path, options, Disk()), schema: Notes.schema)
        #expect(pauses.withLock { $0 } == 3)
        #expect(try await second.content().notes == [Notes.Note(1, "first")])
        try await second.close()
    }

    @Test("after the time limit the error names the process that writes, and nothing has changed")
    func limit() async throws {
        let directory = try TemporaryDirectory()
        let first = try await Store(FlatFileStorage(path: directory.path), schema: Notes.schema)
        let before = try Files.picture(directory.path)
        let waited = Mutex(Duration.zero)
        var options = FlatFileStorage.Options(busyTimeout: .seconds(3))
        options.sleep = { pause in waited.withLock { $0 += pause } }
        let error = await fault {
            try await FlatFileStorage(directory.path, options, Disk()).open(Notes.schema)
        }
        #expect(error?.code == .busy)
        #expect(error?.note("pid") == String(Disk.processIdentifier))
        #expect(error?.message.contains("after 3000 ms") == true)
        #expect(waited.withLock { $0 } == .seconds(3))
        #expect(try Files.picture(directory.path) == before)
        try await first.close()
    }

    @Test(
        "while another process writes, stored rows are shown; what needs the source fails and names the key to set"
    )
    func stored() throws {
        let directory = try TemporaryDirectory(), command = Command(in: directory.path)
        let settings = [
            "--storage", "flatfile", "--set", "storage.path=store.flatfile", "--set",
            "storage.busy-timeout-ms=0",
        ]
        let list = ["list", "users", "--limit", "3"] + settings
        let before = try command.run(list)
        #expect(before.status == 0)
        let path = FolderPath(directory.path + "/store.flatfile", Disk())
        let lock = try #require(try FolderLock(path.open()))
        try withExtendedLifetime(lock) {
            let shown = try command.run(list)
            #expect(shown.status == 0 && shown.output == before.output, "\(shown.errors)")
            #expect(
                shown.errors.contains(
                    "set a longer storage.busy-timeout-ms; meanwhile, stored rows are shown\n"))
            for line in [
                list + ["--refresh"], ["edit", "users", "Marlow-Quern", "name=Mine"] + settings,
            ] {
                let refused = try command.run(line)
                #expect(refused.status == 8 && refused.errors.contains("storage.busy-timeout-ms"), "\(line)")
            }
        }
    }

    @Test("of 24 commands that write, eight at a time, all succeed")
    func commands() throws {
        let directory = try TemporaryDirectory()
        let shell = Command(in: directory.path, program: "/bin/sh")
        let settings =
            "--storage flatfile --set storage.path=store.flatfile --set storage.busy-timeout-ms=600000"
        let outcome = try shell.run(
            "-c",
            "patchbay='\(Command.executable.path)'; $patchbay list users \(settings) --limit 3 >/dev/null && "
                + "seq 24 | xargs -P 8 -I{} $patchbay show users Marlow-Quern \(settings) >/dev/null")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
