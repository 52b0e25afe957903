import PatchbayCore
import PatchbayJSON
import PatchbaySystem

/// A HAR 1.2 file: the requests of its entries, and each answer on demand.
///
/// An entry's answer is read from disk when it is needed. Unknown members, any order of members and any version are
/// accepted.
struct HARFile: Sendable {
    /// The maximum size of an entry.
    static let entryBytesMax = 256 << 20

    let path: String
    private let stamp: FileStatus.Stamp
    private let isGrowing: Bool

    /// Reads the whole file once, in bounded memory, and passes each entry's number, byte range and request to `take`.
    ///
    /// - Parameters:
    ///   - isGrowing: whether entries may be appended after opening.
    ///   - take: called with each entry, or its fault if not even its address can be read; it refuses the file by
    ///     throwing a fault.
    /// - Throws: `invalidConfiguration` naming the file and the position when it is not HAR.
    init(
        _ path: String, isGrowing: Bool = false,
        take: (_ number: Int, _ place: Range<Int>, Result<RecordedRequest.Line, EntryFault>) throws -> Void
    ) throws {
        let file = try ReadableFile(path)
        if let format = try HARFile.otherFormat(of: file) { throw format }
        self.path = path
        self.isGrowing = isGrowing
        stamp = file.stamp
        var number = 0
        do {
            var walk = try HARWalk(file)
            while let place = try walk.nextEntry() {
                number += 1
                let line: Result<RecordedRequest.Line, EntryFault>
                do {
                    line = .success(try walk.line(number, in: path))
                } catch let fault as EntryFault {
                    line = .failure(fault)
                }
                try take(number, place, line)
            }
        } catch let fault as JSONStreamFault {
            // A recorder that writes to the file has replaced it twice since it was opened.
            throw try ReadableFile(path).stamp == stamp ? HARFile.error(fault, path) : changed
        } catch let fault as EntryFault {
            throw fault.error(path)
        }
    }

    /// Reads one entry's answer.
    ///
    /// - Throws: `invalidConfiguration` when the file has changed since it was indexed, or the entry has no valid
    ///   answer. In the latter case the cause is an ``UnreadableEntry``.
    func answer(of number: Int, at place: Range<Int>) throws -> RecordedAnswer {
        let file = try ReadableFile(path)
        let isSame = isGrowing ? file.stamp.bytes >= stamp.bytes : file.stamp == stamp
        guard isSame else { throw changed }
        let bytes = try file.bytes(at: place.lowerBound, count: place.count)
        var reader = JSONReader(bytes.span.bytes)
        do {
            return try RecordedAnswer(entry: &reader, in: path)
        } catch {
            let fault = EntryFault.unexpected(number, error.message, at: place.lowerBound + error.offset)
            throw UnreadableEntry(fault, number: number, in: path).error
        }
    }

    /// Reads the file again, one entry at a time.
    ///
    /// - Parameter besides: reads each member outside the entries, whose name may be `log.pages`.
    /// - Throws: `invalidConfiguration` when the file has changed since it was indexed; any error of `take`.
    func forEachEntry(
        _ take: (_ number: Int, _ offset: Int, _ json: [UInt8]) throws -> Void,
        besides: (_ name: String, inout JSONReader) throws(JSONError) -> Void
    ) throws {
        let file = try ReadableFile(path)
        guard file.stamp == stamp else { throw changed }
        var number = 0
        do {
            var walk = try HARWalk(file)
            let read = { (name: String, walk: inout JSONStreamWalk) in
                try walk.takeValue()
                try walk.read { (reader: inout JSONReader) throws(JSONError) in try besides(name, &reader) }
            }
            while let place = try walk.nextEntry(besides: read) {
                number += 1
                try take(number, place.lowerBound, walk.entryBytes)
            }
        } catch let fault as JSONStreamFault {
            throw HARFile.error(fault, path)
        } catch let fault as EntryFault {
            throw fault.error(path)
        }
    }

    /// The error for a file in another format that its first bytes identify.
    private static func otherFormat(of file: borrowing ReadableFile) throws -> PatchbayError? {
        let start = try file.bytes(at: 0, count: 4)
        let problem =
            if start == Array("PK\u{3}\u{4}".utf8) {
                "is a ZIP archive; unpack all of it, and name the HAR file in it"
            } else if start.starts(with: [0x1F, 0x8B]) {
                "is compressed with gzip; decompress it, and name the result"
            } else if TextEncoding.isUTF16(start) {
                "is text in UTF-16; save it in UTF-8"
            } else {
                String?.none
            }
        return problem.map {
            PatchbayError(
                .invalidConfiguration, "the recording \"\(file.path)\" \($0)", [.file(file.path), .byte(0)])
        }
    }

    private var changed: PatchbayError {
        PatchbayError(
            .invalidConfiguration,
            "the recording \"\(path)\" changed on disk after it was opened; run the command again")
    }

    private static func error(_ fault: JSONStreamFault, _ path: String) -> PatchbayError {
        let problem =
            switch fault {
            case .ended(let offset):
                "ends too early, at byte \(offset); the file is truncated, save it again"
            case .malformed(let problem, let offset): "is not JSON: \(problem) at byte \(offset)"
            case .tooLarge(let offset):
                "contains a value of more than \(entryBytesMax >> 20) MiB at byte \(offset); save less at once"
            }
        return PatchbayError(
            .invalidConfiguration, "the recording \"\(path)\" \(problem)",
            [.file(path), .byte(fault.offset)])
    }
}
