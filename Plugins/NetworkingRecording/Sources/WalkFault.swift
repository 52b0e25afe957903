/// Why a walk through a file cannot go on; the offset counts from the start of the file.
enum WalkFault: Error {
    /// The file ends where more must come.
    case ended(at: Int)
    case endedIn(entry: Int, at: Int)
    case malformed(String, at: Int)
    /// A value is larger than the walk takes; the offset is where it starts.
    case tooLarge(at: Int)
}
