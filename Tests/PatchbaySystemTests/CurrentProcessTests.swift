import PatchbaySystem
import PatchbayTestKit
import Testing

@Suite("This process and its children")
struct CurrentProcessTests {
    @Test("variables are found by name, and all together")
    func variables() throws {
        let path = try #require(CurrentProcess.variable("PATH"))
        #expect(CurrentProcess.variables["PATH"] == path)
        #expect(CurrentProcess.variable("PATCHBAY_NO_SUCH_VARIABLE") == nil)
    }

    @Test("the figures are those of a running process")
    func figures() throws {
        #expect(CurrentProcess.number > 1)
        #expect(CurrentProcess.processorCount > 0)
        #expect(try #require(CurrentProcess.processorSeconds) > 0)
        #expect(try #require(CurrentProcess.residentBytes) > 1 << 20)
        let count = try #require(CurrentProcess.openDescriptorCount)
        #expect(count > 2 && count <= CurrentProcess.limit(.files) ?? .max)
    }

    @Test("a child is waited for until a moment, and can be ended")
    func children() throws {
        let variables = CurrentProcess.variables
        let quick = try ChildProcess(["sh", "-c", "exit 7"], environment: variables)
        #expect(quick.status(until: .now + .seconds(60)) == 7)
        let slow = try ChildProcess(["sleep", "1000"], environment: variables)
        #expect(slow.status(until: .now) == nil)
        slow.end()
    }

    @Test("a pipe is read to its end, to a limit or until a moment")
    func pipe() throws {
        func output(of words: String, max: Int, seconds: Int) throws -> String? {
            let pipe = try #require(ProcessPipe())
            defer { pipe.closeReading() }
            let child = try ChildProcess(
                ["sh", "-c", words], environment: CurrentProcess.variables, output: pipe.writing)
            pipe.closeWriting()
            defer { child.end() }
            let bytes = pipe.rest(max: max, until: .now + .seconds(seconds))
            return bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try output(of: "printf abc", max: 10, seconds: 60) == "abc")
        #expect(try output(of: "printf abcdef", max: 3, seconds: 60)?.count ?? 0 > 3)
        #expect(try output(of: "exec sleep 1000", max: 3, seconds: 0) == nil)
    }

    @Test("a byte is found among the given number of bytes")
    func search() {
        let bytes: [UInt8] = [1, 2, 0, 4, 0]
        unsafe bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress!
            #expect(unsafe start.offset(of: 0, count: 5) == 2)
            #expect(unsafe start.offset(of: 4, count: 3) == nil)
            #expect(unsafe start.offset(of: 1, count: 0) == nil)
        }
    }

    @Test("a socket that nothing listens to refuses connections, and its file is private")
    func sockets() async throws {
        try await TemporaryDirectory.with { folder in
            let path = folder.path + "/s", address = try #require(UnixAddress(path: path))
            let descriptor = try address.bind(mode: 0o600)
            let status = try #require(FileStatus(at: path))
            #expect(status.isSocket && status.mode == 0o600)
            #expect(throws: SystemError.connectionRefused) { try address.probe() }
            Descriptor.close(descriptor)
            #expect(UnixAddress(path: String(repeating: "a", count: 200)) == nil)
        }
    }
}
