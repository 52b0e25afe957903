import PatchbayJSON

/// Where the next entry of a HAR file goes: before the bracket that ends `log.entries`.
///
/// Values are not examined; the reader of the file validates them.
struct EntriesEnd {
    /// The offset of that bracket.
    private(set) var offset = 0
    /// Whether there is an entry before it.
    private(set) var hasEntries = false

    /// - Parameter read: returns the next bytes of the file, at most the given number; empty at its end.
    /// - Returns: nil for a file without a log with entries.
    /// - Throws: ``JSONStreamFault`` for a file that is not complete.
    init?(read: @escaping (_ bytesMax: Int) throws -> [UInt8]) throws {
        var walk = try JSONStreamWalk(valueBytesMax: .max, read: read), isFound = false
        guard try walk.peek() == UInt8(ascii: "{") else { return nil }
        walk.enter()
        while let isLog = try walk.enterMember("log", opening: UInt8(ascii: "{")) {
            guard isLog else { continue }
            while let isEntries = try walk.enterMember("entries", opening: UInt8(ascii: "[")) {
                guard isEntries else { continue }
                (isFound, hasEntries) = (true, false)
                while try walk.nextElement() {
                    try walk.takeValue()
                    hasEntries = true
                }
                offset = walk.offset - 1
            }
        }
        try walk.finish()
        guard isFound else { return nil }
    }
}

extension JSONStreamWalk {
    /// Enters the next member of the object if it has the given name and kind, and skips another one; nil at the end.
    fileprivate mutating func enterMember(_ name: String, opening: UInt8) throws -> Bool? {
        guard let key = try nextKey() else { return nil }
        guard key == name, try peek() == opening else {
            try takeValue()
            return false
        }
        enter()
        return true
    }
}
