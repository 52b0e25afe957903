import Foundation
import TestSupport
import Testing

/// Tests with the real command, in which one process watches or writes and another one edits.
@Suite("Two processes over one storage", .mayBlock, .timeLimit(.minutes(5)))
struct TwoProcessesTests {
    private let command: Command

    init() throws { command = try Command() }

    /// The output of a running command, line by line.
    private func lines(of pipe: Pipe) -> AsyncStream<String> {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let bytes = pipe.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                rest += bytes
                while let end = rest.firstIndex(of: 0x0A) {
                    line.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            line.finish()
        }
        return lines
    }

    @Test("an edit by one process is reported by the other", arguments: ["sqlite", "lmdb"])
    func edits(_ storage: String) async throws {
        #expect(try await command.finished("init", "users", "--storage", storage).status == 0)
        let output = Pipe()
        let watching = try command.start(
            ["watch", "users", "--limit", "1", "--storage", storage], output: output,
            errors: FileHandle.nullDevice)
        defer { watching.terminate() }
        var lines = lines(of: output).makeAsyncIterator()
        #expect(await lines.next()?.hasPrefix(#"{"change":"insert""#) == true)
        for number in 1...3 {
            let edited = try await command.finished(
                "edit", "users", "Marlow-Quern", "name=Mine \(number)", "--storage", storage)
            #expect(edited.status == 0, "\(edited.errors)")
            let line = try #require(await lines.next())
            #expect(line.hasPrefix(#"{"change":"update","login":"Marlow-Quern""#))
            #expect(line.contains(#""name_override":"Mine \#(number)""#))
        }
    }

    @Test("a flat file has one writer at a time: the second one reports the first, and readers continue")
    func busy() async throws {
        let output = Pipe(), folder = command.directory
        let writing = try command.start(
            ["selftest", "write", "--store", "flatfile:\(folder)", "--durability", "off"], output: output,
            errors: FileHandle.nullDevice)
        defer { kill(writing.processIdentifier, SIGKILL) }
        var lines = lines(of: output).makeAsyncIterator()
        // The second line confirms that the first row was written.
        for _ in 1...2 { _ = await lines.next() }
        kill(writing.processIdentifier, SIGSTOP)
        let chosen = ["--storage", "flatfile", "--set", "storage.path=\(folder)/store.flatfile"]
        let edited = try await command.finished(["edit", "users", "selftest-1", "name=Mine"] + chosen)
        #expect(edited.status == 8)
        #expect(edited.errors.contains("\(writing.processIdentifier)"), "\(edited.errors)")
        let listed = try await command.finished(["list", "users", "--offline", "--limit", "1"] + chosen)
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.output.contains("selftest-1"))
    }

    /// Reads the given number of bytes of a running command's output; returns false if it ends before.
    private func reads(_ count: Int, of pipe: Pipe) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var left = count
                while left > 0 {
                    let bytes = pipe.fileHandleForReading.availableData
                    if bytes.isEmpty { break }
                    left -= bytes.count
                }
                continuation.resume(returning: left <= 0)
            }
        }
    }

    @Test(
        "collections that other programs add to a storage do not stop its writer",
        arguments: ["sqlite", "lmdb"])
    func additions(_ storage: String) async throws {
        let output = Pipe(), folder = command.directory
        let errors = folder + "/errors"
        #expect(FileManager.default.createFile(atPath: errors, contents: nil))
        let writing = try command.start(
            ["selftest", "write", "--store", "\(storage):\(folder)", "--durability", "off"], output: output,
            errors: try #require(FileHandle(forWritingAtPath: errors)))
        defer { kill(writing.processIdentifier, SIGKILL) }
        #expect(await reads(1_000, of: output))
        let place = ["--storage", storage, "--set", "storage.path=\(folder)/store.\(storage)"]
        for word in ["first", "second"] {
            let source = ["--source", "synthetic", "--set", "source.as=\(word)"]
            let listed = try await command.finished(["list", "users", "--limit", "3"] + source + place)
            #expect(listed.status == 0, "\(listed.errors)")
            // More than a full pipe holds, so some of these bytes are about rows that were written afterwards.
            guard await reads(100_000, of: output) else {
                let told = try String(contentsOfFile: errors, encoding: .utf8)
                // On a busy machine, a writer may exceed its time limit for waiting, and reports that.
                let hasWaited = told.contains("busy-timeout") || told.contains("holds")
                #expect(hasWaited, "the writer ended: \(told)")
                return
            }
        }
        kill(writing.processIdentifier, SIGKILL)
        let verified = try await command.finished(["storage", "verify"] + place)
        #expect(verified.status == 0 && verified.errors.hasPrefix("no faults"), "\(verified.errors)")
        #expect(verified.errors.contains(" first_users") && verified.errors.contains(" second_users"))
    }
}
