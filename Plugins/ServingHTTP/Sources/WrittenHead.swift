#if Live
import HTTPTypes
import NIOHTTP1

/// The head of an answer as it is sent. It is an array, because a `ByteBuffer` checks its memory for each part.
struct WrittenHead {
    /// How the end of a body is found (RFC 9112, section 6).
    enum Framing {
        case length(Int)
        case chunks
        /// There is no body, or it ends with the connection.
        case nothing
    }

    private(set) var bytes: [UInt8] = []

    /// Adds a date and the fields of the connection (RFC 9112).
    ///
    /// Values contain no line breaks, because `HTTPField` replaces them.
    init(_ head: HTTPResponse, _ framing: Framing, isHTTP10: Bool, keepsAlive: Bool) {
        bytes.reserveCapacity(128 + 64 * head.headerFields.count)
        let status = HTTPResponseStatus(statusCode: head.status.code, reasonPhrase: head.status.reasonPhrase)
        write(isHTTP10 ? "HTTP/1.0 " : "HTTP/1.1 ")
        write(String(status.code))
        write(" ")
        write(status.reasonPhrase)
        write("\r\n")
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
        write("\r\n")
    }

    private mutating func writeField(_ name: String, _ value: String) {
        write(name)
        write(": ")
        write(value)
        write("\r\n")
    }

    private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }
}

extension HTTPResponse.Status {
    /// Whether an answer of this status never has a body.
    var isBodiless: Bool { kind == .informational || self == .noContent || self == .notModified }
}
#endif
