import CPlatform
import PatchbayCore

/// Packed rows in a file, of which the processes that measure read single ones, so that the rows take up none of their
/// memory.
///
/// The file contains the rows one after another. A second file contains where each ends, in eight bytes of the
/// machine's order.
final class RowsFile: Sendable {
    /// The number of rows.
    let count: Int
    private let rows: CInt
    private let ends: CInt

    /// - Throws: `permissionDenied` or `notFound` when the files cannot be opened.
    init(_ path: String) throws {
        rows = try RowsFile.open(path)
        do { ends = try RowsFile.open(RowsFile.ends(of: path)) } catch {
            close(rows)
            throw error
        }
        count = (FileStatus(at: RowsFile.ends(of: path))?.bytes ?? 0) / 8
    }

    deinit {
        close(rows)
        close(ends)
    }

    /// The row at a place, from 0.
    func row(_ place: Int) throws -> [UInt8] {
        let start = place == 0 ? 0 : try end(place - 1)
        return try RowsFile.bytes(of: rows, from: start, count: try end(place) - start)
    }

    private func end(_ place: Int) throws -> Int {
        let bytes = try RowsFile.bytes(of: ends, from: place * 8, count: 8)
        return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func open(_ path: String) throws -> CInt {
        let file = unsafe CPlatform.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("open", path) }
        return file
    }

    private static func bytes(of file: CInt, from start: Int, count: Int) throws -> [UInt8] {
        var done = 0
        var bytes = [UInt8](repeating: 0, count: count)
        while done < count {
            let step = unsafe bytes.withUnsafeMutableBytes { buffer in
                // The rest of the buffer has room for the rest of the bytes.
                unsafe pread(file, buffer.baseAddress! + done, count - done, off_t(start + done))
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw failure("read", "the copied rows") }
            done += step
        }
        return bytes
    }

    fileprivate static func failure(_ verb: String, _ path: String) -> PatchbayError {
        let number = errno
        return PatchbayError(
            .init(systemError: number), "cannot \(verb) \"\(path)\": \(PatchbayError.systemWords(number))")
    }

    fileprivate static func ends(of path: String) -> String { path + ".ends" }
}

extension RowsFile {
    /// Writes rows into new files.
    ///
    /// - Parameter isInterrupted: true ends the copy early.
    /// - Returns: the number of rows.
    static func write(
        _ source: ComparedRows.Source, to path: String, isInterrupted: @escaping @Sendable () -> Bool,
        progress: (_ rows: Int) -> Void
    ) async throws -> Int {
        var rows = try Appender(path), ends = try Appender(ends(of: path)), end = 0, count = 0
        do {
            try await source.each { row in
                if isInterrupted() { throw Interrupted() }
                end += row.count
                count += 1
                try rows.append(row)
                try ends.append((0..<8).map { UInt8(truncatingIfNeeded: end >> (8 * $0)) })
                if count % 1_000 == 0 { progress(count) }
            }
        } catch is Interrupted {}
        try rows.finish()
        try ends.finish()
        return count
    }

    /// Removes the files; a process that has opened them can still read them.
    static func remove(_ path: String) { for path in [path, ends(of: path)] { _ = unsafe unlink(path) } }

    private struct Interrupted: Error {}

    /// Writes a new file in large parts.
    private struct Appender: ~Copyable {
        private let path: String
        private let file: CInt
        private var bytes: [UInt8] = []

        init(_ path: String) throws {
            self.path = path
            file = unsafe CPlatform.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure("create", path) }
        }

        deinit { close(file) }

        mutating func append(_ new: [UInt8]) throws {
            bytes += new
            if bytes.count >= 1 << 20 { try finish() }
        }

        mutating func finish() throws {
            var done = 0
            while done < bytes.count {
                let step = unsafe bytes.withUnsafeBytes { buffer in
                    // The slice ends where the array does.
                    unsafe CPlatform.write(file, buffer.baseAddress! + done, buffer.count - done)
                }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { throw failure("write", path) }
                done += step
            }
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
