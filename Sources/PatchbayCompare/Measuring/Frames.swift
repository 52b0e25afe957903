#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// Messages over a pipe, each after its length, the lowest byte first.
struct Frames: Sendable {
    /// The longest message. Messages are short, because they contain the answers of at most one operation.
    static let bytesMax = 256 << 20

    /// The length of a message takes this many bytes.
    static let headBytes = 8

    let reading: Int32
    let writing: Int32

    /// Waits for the next message and blocks the thread; nil when the other side has closed the pipe.
    func read() throws -> [UInt8]? {
        guard let head = try readAll(Frames.headBytes) else { return nil }
        let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard (0...Frames.bytesMax).contains(count) else { throw Frames.fault }
        return try readAll(count)
    }

    /// - Throws: `internalError` when the other side has closed the pipe.
    func write(_ message: [UInt8]) throws {
        let bytes =
            (0..<Frames.headBytes).map { UInt8(truncatingIfNeeded: message.count >> ($0 * 8)) } + message
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                // The slice ends where the array does, and the array outlives the call.
                unsafe systemWrite(writing, all.baseAddress! + written, all.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Frames.error("write to") }
            written += count
        }
    }

    /// The given number of bytes; nil when the pipe ends before the last.
    private func readAll(_ count: Int) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { all in
                // The rest ends where the array does, and the array outlives the call.
                unsafe systemRead(reading, all.baseAddress! + done, count - done)
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw Frames.error("read from") }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }

    /// A message that is not understood.
    static let fault = PatchbayError(
        .internalError, "two processes of one comparison do not understand each other")

    private static func error(_ verb: String) -> PatchbayError {
        PatchbayError(
            .internalError, "cannot \(verb) a process of the comparison: \(SystemFile.words(errno))")
    }
}

private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(file, bytes, count)
}
