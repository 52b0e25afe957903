/// What is wrong with a JSON text, and where.
@usableFromInline
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was expected and what was found, without the place.
    package let message: String

    /// The number of bytes before the error.
    package let offset: Int

    /// Creates an error; callers use it to refuse a value that is valid JSON but not valid for them.
    package init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// The message with its place, such as `expected a string, found a number at byte 17`.
    @usableFromInline package var description: String { "\(message) at byte \(offset)" }
}

/// Why a JSON stream cannot be read further; the offset counts from the start of the stream.
package enum JSONStreamFault: Error {
    /// The stream ends before the JSON is complete.
    case ended(at: Int)
    case malformed(String, at: Int)
    /// A value exceeds the maximum size; the offset is its start.
    case tooLarge(at: Int)

    package var offset: Int {
        switch self {
        case .ended(let offset), .malformed(_, let offset), .tooLarge(let offset): offset
        }
    }
}

extension JSONReader {
    /// The error when the next value is not what was expected.
    @usableFromInline @inline(never)
    func mismatch(_ expected: StaticString) -> JSONError {
        JSONError(message: "expected \(expected), found \(found)", offset: position)
    }

    /// The error for a word that starts like `true`, `false` or `null` but differs.
    @usableFromInline @inline(never)
    var badLiteral: JSONError {
        JSONError(message: "found a word other than true, false and null", offset: position)
    }

    /// The error when containers nest too deeply.
    @usableFromInline @inline(never)
    func tooDeep() -> JSONError {
        JSONError(message: "objects and arrays nest more than \(JSONReader.depthMax) deep", offset: position)
    }

    /// The kind of the next value, for messages.
    private var found: String {
        let byte = bytes.byte(at: position)
        switch byte {
        case _ where position >= bytes.byteCount: return "the end of the text"
        case ASCII.quote: return "a string"
        case ASCII.openBrace: return "an object"
        case ASCII.openBracket: return "an array"
        case 0x74, 0x66: return "true or false"
        case 0x6E: return "null"
        case ASCII.minus, 0x30...0x39: return "a number"
        case 0xEF where bytes.byte(at: position + 1) == 0xBB: return "a byte order mark"
        case 0x21...0x7E: return "'\(Unicode.Scalar(byte))'"
        default: return "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
