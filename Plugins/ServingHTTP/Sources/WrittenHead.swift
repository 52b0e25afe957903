#if Live
import HTTPTypes
import NIOHTTP1
import PatchbayCore
import PatchbaySystem
import Synchronization

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
    init(_ response: ServerResponse, _ framing: Framing, isHTTP10: Bool, keepsAlive: Bool) {
        bytes.reserveCapacity(response.shared.reduce(512) { $0 + $1.encoded.count })
        let sent = response.head.status
        let status = HTTPResponseStatus(statusCode: sent.code, reasonPhrase: sent.reasonPhrase)
        write(isHTTP10 ? "HTTP/1.0 " : "HTTP/1.1 ")
        write(String(status.code))
        write(" ")
        write(status.reasonPhrase)
        write("\r\n")
        for shared in response.shared { bytes.append(contentsOf: shared.encoded) }
        let fields = response.head.headerFields
        // A field's texts are not copied together, which takes longer than writing them.
        for place in fields.indices { writeField(fields[place].name.rawName, fields[place].value) }
        if !response.hasField(.date) { writeField("Date", HTTPDate.now()) }
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

    /// Copies the bytes without the copy of the text that `append(contentsOf:)` makes of its `utf8` view.
    private mutating func write(_ text: String) {
        let isCopied: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe bytes.append(contentsOf: $0)
        }
        if isCopied == nil { bytes.append(contentsOf: text.utf8) }
    }
}

extension HTTPResponse.Status {
    /// Whether an answer of this status never has a body.
    var isBodiless: Bool { kind == .informational || self == .noContent || self == .notModified }
}

/// The current time in HTTP's format, computed once per second.
enum HTTPDate {
    private static let latest = Mutex<(second: Int, text: String)>((0, ""))

    static func now() -> String {
        let second = Int(SystemClock.milliseconds / 1_000)
        return latest.withLock { latest in
            if latest.second != second {
                latest = (second, Timestamp(milliseconds: Int64(second) * 1_000).httpDate)
            }
            return latest.text
        }
    }
}
#endif
