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
