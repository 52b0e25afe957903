import PatchbayCore

/// An entry of a recording that is JSON but not a HAR entry, because a member is missing or has another type.
///
/// It is also the cause of the error that a replay throws when the entry is needed.
package struct UnreadableEntry: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, and the entry's number in it; the first is 1.
    package let file: String
    /// The position of the entry in the file; the first is 1.
    package let number: Int
    /// A sentence that describes the fault and names entry and file.
    package let message: String

    init(_ fault: EntryFault, number: Int, in file: String) {
        self.file = file
        self.number = number
        message = fault.error(file).message
    }

    /// One clause without the place, for messages that name the cause; ``message`` names entry and file.
    package var description: String { "this entry of the recording cannot be replayed" }

    var error: PatchbayError { PatchbayError(.invalidConfiguration, message, cause: self) }
}
