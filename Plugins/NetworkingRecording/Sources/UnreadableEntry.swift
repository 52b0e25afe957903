import PatchbayCore

/// An entry of a recording that is JSON but not a HAR entry: a member is missing or of another type.
///
/// It is also the cause of the error that a replay throws when it should answer with the entry.
public struct UnreadableEntry: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, and the entry's number in it; the first is 1.
    public let file: String
    public let number: Int
    /// What is wrong, as a sentence that names entry and file.
    public let message: String

    init(_ fault: EntryFault, number: Int, in file: String) {
        self.file = file
        self.number = number
        message = fault.error(file).message
    }

    public var description: String { "the recording cannot be replayed there" }

    var error: PatchbayError { PatchbayError(.invalidConfiguration, message, cause: self) }
}
