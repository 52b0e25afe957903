import CPlatform
import Dispatch
import PatchbayCore
import PatchbaySystem
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Writing the output")
struct StandardStreamTests {
    /// The ends of a pipe.
    private func makePipe() -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        unsafe #expect(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private func readAll(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 5_000)
        while case let count = unsafe read(descriptor, &part, part.count), count > 0 { all += part[..<count] }
        return all
    }

    @Test("all bytes arrive, even if the pipe is full and non-blocking", arguments: [0, O_NONBLOCK])
    func whole(_ flags: Int32) async throws {
        let (reader, writer) = makePipe()
        #expect(fcntl(writer, F_SETFL, flags) == 0)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let (received, report) = AsyncStream.makeStream(of: [UInt8].self)
        // On its own thread, because the write below blocks one of the few threads that tasks share.
        DispatchQueue.global().async {
            report.yield(readAll(reader))
            report.finish()
        }
        try StandardStream(descriptor: writer).write(bytes)
        close(writer)
        for await all in received { #expect(all == bytes) }
        close(reader)
    }

    @Test("a pipe without a reader is distinguished from failures")
    func brokenPipe() {
        Signal.ignore(Signal.brokenPipe)
        let (reader, writer) = makePipe()
        close(reader)
        #expect(throws: BrokenPipe.self) { try StandardStream(descriptor: writer).write("x") }
        close(writer)
    }

    @Test("a full disk is reported as such")
    func full() throws {
        let descriptor = unsafe open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        let stream = StandardStream(descriptor: descriptor)
        let error = #expect(throws: PatchbayError.self) { try stream.write("x") }
        #expect(error?.code == .storageFull)
        #expect(error?.message.hasPrefix("cannot write the output: no space left on device") == true)
        close(descriptor)
    }

    @Test("a closed output is an error, unless nothing is written")
    func closed() throws {
        let error = #expect(throws: PatchbayError.self) { try StandardStream(descriptor: -1).write("x") }
        #expect(error?.code == .invalidValue && error?.message.hasPrefix("the output is closed") == true)
        try StandardStream(descriptor: -1).write("")
    }
}
