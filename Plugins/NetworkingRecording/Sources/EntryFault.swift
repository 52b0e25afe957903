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
