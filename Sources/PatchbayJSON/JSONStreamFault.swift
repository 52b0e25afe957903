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
