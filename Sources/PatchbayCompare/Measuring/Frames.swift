#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// Messages over a pipe, each behind its length.
struct Frames: Sendable {
    /// A message is no longer than this: a turn's answers are small, and one operation's smaller.
    static let bytesMax = 256 << 20

    let reading: Int32
    let writing: Int32

    /// The next message; nil when the other side has closed the pipe. Blocks until there is one.
    func read() throws -> [UInt8]? {
        guard let head = try readAll(8) else { return nil }
        var wire = WireReader(head)
        let count = try wire.integer()
        guard (0...Frames.bytesMax).contains(count) else { throw WireReader.fault }
        return try readAll(count)
    }

    /// - Throws: `internalError` when the other side has closed the pipe.
    func write(_ message: [UInt8]) throws {
        var wire = WireWriter()
        wire.put(message.count)
        let bytes = wire.bytes + message
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

    /// So many bytes; nil when the pipe ends before the first.
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

    private static func error(_ verb: String) -> PatchbayError {
        // The text is copied before this thread can ask for another.
        let words = unsafe String(cString: strerror(errno)).lowercased()
        return PatchbayError(.internalError, "cannot \(verb) a process of the comparison: \(words)")
    }
}

private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(file, bytes, count)
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(file, bytes, count)
}
