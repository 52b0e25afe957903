#if Live
import HTTPTypes
import NIOCore
import NIOHTTP1

extension ByteBuffer {
    /// How the end of a body is found (RFC 9112, section 6).
    enum Framing {
        case length(Int)
        case chunks
        /// There is no body, or it ends with the connection.
        case nothing
    }

    /// Returns an estimate of the size of a head, in bytes.
    static func headBytes(_ head: HTTPResponse) -> Int { 128 + 64 * head.headerFields.count }

    /// Writes the head of an answer, with a date and the fields of the connection (RFC 9112).
    ///
    /// Values contain no line breaks, because `HTTPField` replaces them.
    mutating func write(_ head: HTTPResponse, _ framing: Framing, isHTTP10: Bool, keepsAlive: Bool) {
        let status = HTTPResponseStatus(statusCode: head.status.code, reasonPhrase: head.status.reasonPhrase)
        writeStaticString(isHTTP10 ? "HTTP/1.0 " : "HTTP/1.1 ")
        writeString(String(status.code))
        writeStaticString(" ")
        writeString(status.reasonPhrase)
        writeLineEnd()
        var hasDate = false
        for field in head.headerFields {
            writeField(field.name.rawName, field.value)
            hasDate = hasDate || field.name == .date
        }
        if !hasDate { writeField("Date", HTTPDate.now()) }
        switch framing {
        case .length(let count): writeField("Content-Length", String(count))
        case .chunks: writeField("Transfer-Encoding", "chunked")
        case .nothing: break
        }
        if !keepsAlive {
            writeField("Connection", "close")
        } else if isHTTP10 {
            writeField("Connection", "keep-alive")
        }
        writeLineEnd()
    }

    private mutating func writeField(_ name: String, _ value: String) {
        writeString(name)
        writeInteger(0x3A20 as UInt16)  // ": "
        writeString(value)
        writeLineEnd()
    }

    private mutating func writeLineEnd() { writeInteger(0x0D0A as UInt16) }
}

extension HTTPResponse.Status {
    /// Whether an answer of this status never has a body.
    var isBodiless: Bool { kind == .informational || self == .noContent || self == .notModified }
}
#endif
