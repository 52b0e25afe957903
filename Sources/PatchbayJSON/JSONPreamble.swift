/// What some servers send before the JSON of an answer.
package enum JSONPreamble {
    /// The number of bytes before the JSON: of a byte order mark, which a reader may ignore (RFC 8259, section 8.1), or
    /// of a line that begins with `)]}'`, with which Gerrit and others keep web pages from running an answer as a
    /// script.
    package static func length(in text: [UInt8]) -> Int {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
        guard text.starts(with: ")]}'".utf8) else { return 0 }
        return text.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }
}
