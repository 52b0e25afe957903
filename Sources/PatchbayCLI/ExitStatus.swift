import PatchbayCore

/// The exit statuses of the command, chosen only here. Docs/Errors.md lists them.
enum ExitStatus: Int32, Error, CaseIterable {
    case success = 0
    case internalError = 1
    /// An option or argument is unknown or cannot be used.
    case usage = 2
    case invalidConfiguration = 3
    case notFound = 4
    case corrupted = 5
    case storageFull = 6
    case permissionDenied = 7
    case busy = 8
    case conflict = 9
    case invalidValue = 10
    case offline = 11
    case rateLimited = 12
    case unauthorized = 13
    case invalidResponse = 14
    case unsupported = 15
    case cancelled = 16
    /// Compared storages returned different answers.
    case differences = 17
    /// A fetched list lacks rows that the source has. With `--strict` also: rows were printed, but some are missing or
    /// the source did not confirm them.
    case incomplete = 19

    init(_ code: PatchbayError.Code) {
        self =
            switch code {
            case .invalidConfiguration: .invalidConfiguration
            case .invalidValue: .invalidValue
            case .notFound: .notFound
            case .conflict: .conflict
            case .corrupted: .corrupted
            case .storageFull: .storageFull
            case .permissionDenied: .permissionDenied
            case .busy: .busy
            case .offline: .offline
            case .rateLimited: .rateLimited
            case .unauthorized: .unauthorized
            case .unsupported: .unsupported
            case .invalidResponse: .invalidResponse
            case .cancelled: .cancelled
            case .internalError: .internalError
            }
    }
}
