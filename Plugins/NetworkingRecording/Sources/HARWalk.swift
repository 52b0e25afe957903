import PatchbayJSON

/// Walks through the entries of a HAR file.
struct HARWalk: ~Copyable {
    private var walk: JSONStreamWalk
    private var place = Place.start
    private var hasEntries = false
    private var entryCount = 0

    /// The container in which the walk is.
    private enum Place {
        case start, root, log, entries, end
    }

    init(_ file: consuming ReadableFile) throws {
        let file = file
        var offset = 0
        walk = try JSONStreamWalk(valueBytesMax: HARFile.entryBytesMax) { count in
            let chunk = try file.bytes(at: offset, count: count)
            offset += chunk.count
            return chunk
        }
    }

    /// Takes the next entry and returns its byte range; nil after the last entry of a valid file.
    ///
    /// - Parameter besides: takes or skips the value of each member outside the entries, whose name may be `log.pages`.
    mutating func nextEntry(
        besides: (_ name: String, inout JSONStreamWalk) throws -> Void = { _, walk in try walk.skipValue() }
    ) throws -> Range<Int>? {
        while true {
            switch place {
            case .start: try enterRoot()
            case .root:
                try walkMember("log", opening: UInt8(ascii: "{"), inside: .log, outside: .end, besides)
            case .log:
                try walkMember("entries", opening: UInt8(ascii: "["), inside: .entries, outside: .root) {
                    try besides("log." + $0, &$1)
                }
            case .entries:
                if let range = try takeEntry() { return range }
                place = .log
            case .end:
                try walk.finish()
                guard hasEntries else { throw EntryFault.noEntries }
                return nil
            }
        }
    }

    /// The JSON of the last taken entry.
    var entryBytes: [UInt8] { walk.valueBytes }

    /// Returns the line of the last taken entry in the index, after checking the whole entry.
    ///
    /// - Parameter recording: the path of the file.
    /// - Throws: ``EntryFault`` when not even the address of the request can be read.
    func line(_ number: Int, in recording: String) throws -> RecordedRequest.Line {
        let offset = walk.valueRange.lowerBound
        do {
            return try request(.all).line(number, in: recording, at: offset)
        } catch JSONStreamFault.malformed(let problem, let place) {
            try walk.check()
            let fault = EntryFault.unexpected(number, problem, at: place)
            for part in [RecordedRequest.Part.request, .address] {
                // What fails again is the same fault.
                guard let request = try? request(part),
                    var line = try? request.line(number, in: recording, at: offset)
                else { continue }
                line.fault = fault
                return line
            }
            throw fault
        }
    }

    private func request(_ part: RecordedRequest.Part) throws -> RecordedRequest {
        try walk.read { (reader: inout JSONReader) throws(JSONError) in
            try RecordedRequest(entry: &reader, part)
        }
    }

    private mutating func enterRoot() throws {
        if try walk.peek() == UInt8(ascii: "{") {
            walk.enter()
            place = .root
        } else {
            try walk.skipValue()
            place = .end
        }
    }

    /// Enters the next member if it has the given name, and otherwise passes it to `besides`. Leaves the object after
    /// its last member.
    private mutating func walkMember(
        _ name: String, opening: UInt8, inside: Place, outside: Place,
        _ besides: (_ name: String, inout JSONStreamWalk) throws -> Void
    ) throws {
        guard let key = try walk.nextKey() else {
            place = outside
            return
        }
        guard key == name, try walk.peek() == opening else { return try besides(key, &walk) }
        walk.enter()
        place = inside
        hasEntries = hasEntries || inside == .entries
    }

    private mutating func takeEntry() throws -> Range<Int>? {
        guard try walk.nextElement() else { return nil }
        entryCount += 1
        do {
            try walk.takeValue()
        } catch JSONStreamFault.ended(let offset) {
            throw EntryFault.cut(entryCount, at: offset)
        }
        return walk.valueRange
    }
}
