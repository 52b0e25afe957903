import PatchbayCore

/// Why a JSON file is not a HAR file, or one of its entries is not a HAR entry.
enum EntryFault: Error {
    case noEntries
    /// A member is missing or has a value that HTTP does not allow. The offset is that of the entry.
    case missing(Int, String, at: Int)
    case unexpected(Int, String, at: Int)
    case tooMany(Int)
    /// The file ends in the middle of the entry.
    case cut(Int, at: Int)

    func error(_ path: String) -> PatchbayError {
        let sentence =
            switch self {
            case .noEntries: "the recording \"\(path)\" is JSON but not a HAR: it has no log.entries"
            case .missing(let number, let problem, let offset):
                "entry \(number) of the recording \"\(path)\", at byte \(offset), \(problem)"
            case .unexpected(let number, let problem, let offset):
                "entry \(number) of the recording \"\(path)\" is not a HAR entry: \(problem) at byte \(offset)"
            case .cut(let number, let offset):
                "the recording \"\(path)\" ends in the middle of entry \(number), at byte \(offset); "
                    + "the file is truncated, save it again"
            case .tooMany(let limit): "the recording \"\(path)\" has more than \(limit) entries; split it"
            }
        let place: [PatchbayError.Detail] =
            switch self {
            case .missing(_, _, let offset), .unexpected(_, _, let offset), .cut(_, let offset):
                [.byte(offset)]
            case .tooMany(let limit): [.limit(limit)]
            case .noEntries: []
            }
        return PatchbayError(.invalidConfiguration, sentence, [.file(path)] + place)
    }
}

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
