/// Why a walk through a stream of JSON cannot go on; the offset counts from the start of the stream.
package enum JSONStreamFault: Error {
    /// The stream ends where more must come.
    case ended(at: Int)
    case malformed(String, at: Int)
    /// A value is larger than the walk takes; the offset is where it starts.
    case tooLarge(at: Int)
}
