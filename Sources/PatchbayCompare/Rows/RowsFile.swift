import PatchbayCore
import PatchbaySystem

/// Packed rows in a file, of which the processes that measure read single ones, so that the rows take up none of their
/// memory.
///
/// The file contains the rows one after another. A second file contains where each ends, in eight bytes of the
/// machine's order.
final class RowsFile: Sendable {
    /// The number of rows.
    let count: Int
    private let rows: OpenFile
    private let ends: OpenFile

    /// - Throws: `permissionDenied` or `notFound` when the files cannot be opened.
    init(_ path: String) throws {
        (rows, ends, count) = try PatchbayError.reporting("cannot open \"\(path)\"") {
            () throws(SystemError) in
            let ends = try OpenFile(RowsFile.ends(of: path), .reading)
            return (try OpenFile(path, .reading), ends, try ends.status().bytes / 8)
        }
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

    private static func bytes(of file: OpenFile, from start: Int, count: Int) throws -> [UInt8] {
        let bytes = try PatchbayError.reporting("cannot read the copied rows") { () throws(SystemError) in
            try file.bytes(count, at: start)
        }
        guard bytes.count == count else { throw PatchbayError(.internalError, "the copied rows are cut off") }
        return bytes
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
    static func remove(_ path: String) {
        // A failure is harmless: the folder that contains them is removed in the end.
        for path in [path, ends(of: path)] { try? FileSystem.remove(path) }
    }

    private struct Interrupted: Error {}

    /// Writes a new file in large parts.
    private struct Appender: ~Copyable {
        private let path: String
        private let file: OpenFile
        private var bytes: [UInt8] = []

        init(_ path: String) throws {
            self.path = path
            file = try PatchbayError.reporting("cannot create \"\(path)\"") { () throws(SystemError) in
                try OpenFile(path, .creating)
            }
        }

        mutating func append(_ new: [UInt8]) throws {
            bytes += new
            if bytes.count >= 1 << 20 { try finish() }
        }

        mutating func finish() throws {
            try PatchbayError.reporting("cannot write \"\(path)\"") { () throws(SystemError) in
                // The bytes are not changed meanwhile.
                try unsafe file.write(bytes.span.bytes)
            }
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
