package import PatchbaySystem

/// The error type of Patchbay. Programs act on the code; people read the rest.
///
/// The command maps each code to an exit status (`ExitStatus.swift`); Docs/Errors.md lists them with advice.
public struct PatchbayError: Error, Sendable {
    /// The kind of failure, for programs.
    public let code: Code
    /// What happened, to what, and what to do: lower case, values in quotes, never a secret.
    public let message: String
    /// What is known of the place and the circumstances.
    public private(set) var details: [Detail]
    /// The error that led to this one; nil when there is none or it adds nothing.
    public let cause: (any Error)?
    /// Whether no connection could be established, so that the server cannot have received the request.
    public var isUnreachable = false
    /// Whether the server did not answer in time, although a connection may have been established.
    public var isTimeout = false
    /// Whether a recording does not contain the request, so that nothing is known about the rows. Stored rows are shown
    /// as when a network is unreachable.
    public var isNotRecorded = false

    /// Creates an error. Neither the message nor the details may contain a secret.
    public init(_ code: Code, _ message: String, _ details: [Detail] = [], cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.details = details
        self.cause = cause
    }

    /// The same error with more details; existing ones stay.
    public func adding(_ more: [Detail]) -> PatchbayError {
        var error = self
        error.details += more.filter { new in !details.contains { $0.name == new.name } }
        return error
    }

    /// The kind of failure. A retryable one may pass on its own.
    public enum Code: String, Sendable, CaseIterable, CustomStringConvertible {
        /// A key, value or path of the configuration is not valid.
        case invalidConfiguration = "invalid configuration"
        /// A value cannot be stored, or a limit was exceeded.
        case invalidValue = "invalid value"
        /// The row, file, recording or resource does not exist.
        case notFound = "not found"
        /// The request conflicts with what exists: a unique index already contains another row with these values, the
        /// row or list was changed or cleared meanwhile, the storage contains the rows of another API or an unfinished
        /// copy from another storage, or something exists at the path to be written.
        case conflict
        /// Stored data is damaged.
        case corrupted
        /// The disk, or the size that the storage may have, is used up.
        case storageFull = "storage full"
        /// The operating system or a server refuses the access.
        case permissionDenied = "permission denied"
        /// Another process or connection holds a resource that is needed, or the server of a storage cannot be reached.
        case busy
        /// The server cannot be reached or does not answer.
        case offline
        /// The server accepts no more requests for some time.
        case rateLimited = "rate limited"
        /// The credentials are missing, wrong or expired.
        case unauthorized
        /// Not possible with this storage, source or version, or the storage is not open.
        case unsupported
        /// The source's answer does not conform to its API.
        case invalidResponse = "invalid response"
        /// The caller's task was cancelled; this is not a failure.
        case cancelled
        /// A defect of Patchbay, or a failure of the system below it.
        case internalError = "internal error"

        /// Whether the same call may succeed later without a change: `busy`, `offline` and `rateLimited`.
        public var isRetryable: Bool {
            switch self {
            case .busy, .offline, .rateLimited: true
            default: false
            }
        }

        /// The raw value: `not found`.
        public var description: String { rawValue }
    }

    /// The error for a row that a unique index refuses, with the same message in every storage.
    package static func conflict(_ collection: CollectionSchema, _ index: Index) -> PatchbayError {
        let names = index.parts.map { collection.fields[$0.position].name }.joined(separator: ", ")
        return PatchbayError(
            .conflict, "another row of \(collection.name) has the same \(names) (unique index \(index.name))",
            [.collection(collection.name), .index(index.name)])
    }

    /// Throws `corrupted` when tables or indexes of a database are missing, with the names of all of them.
    package static func checkObjects(_ expected: [String], among found: Set<String>) throws(PatchbayError) {
        let missing = expected.filter { !found.contains($0) }.map { "\"\($0)\"" }
        if missing.isEmpty { return }
        throw PatchbayError(
            .corrupted,
            missing.count == 1
                ? "the table or index \(missing[0]) is missing; restore the database from a copy, or remove the "
                    + "storage and sync again"
                : "the tables or indexes \(missing.joined(separator: ", ")) are missing; restore the database "
                    + "from a copy, or remove the storage and sync again")
    }

    /// The error for a failed system call.
    ///
    /// - Parameters:
    ///   - number: the call's `errno`.
    ///   - problem: what could not be done, and to what: `cannot open "data"`.
    package static func system(_ number: Int32, _ problem: String, _ details: [Detail] = []) -> PatchbayError
    {
        let code = Code(systemError: number), reason = SystemError(number).words
        let message =
            switch code {
            case .storageFull: "the disk is full (\(reason)); free some space"
            case .permissionDenied: "\(reason); change its permissions or set another path"
            case .busy: "\(reason); try again"
            default: reason
            }
        return PatchbayError(code, "\(problem): \(message)", details + [.systemError(number)])
    }

    /// The error for a collection that the storage was not opened with, with the same message in every storage.
    package static func notOpened(_ collection: CollectionSchema) -> PatchbayError {
        PatchbayError(
            .unsupported,
            "the storage was not opened with the collection \(collection.name); use resources of the gateway that has "
                + "the storage, or open the storage with this collection", [.collection(collection.name)])
    }

    /// The error for a storage that is open already, with the same message in every storage.
    package static func storageIsOpen(_ path: String? = nil) -> PatchbayError {
        let name = path.map { "the storage \"\($0)\"" } ?? "the storage"
        return PatchbayError(
            .busy, "\(name) is already open in this process; share it or close it first",
            path.map { [.file($0)] } ?? [])
    }

    /// The error for a storage that is used before it is opened or after it is closed, with the same message in every
    /// storage.
    public static func storageNotOpen(_ path: String? = nil) -> PatchbayError {
        PatchbayError(
            .unsupported, "the storage is not open: it was closed, or not opened yet",
            path.map { [.file($0)] } ?? [])
    }
}

extension PatchbayError: CustomStringConvertible {
    /// The code, message, details and cause on one line.
    public var description: String { "\(code): \(summary)" + (cause.map { ", because \($0)" } ?? "") }
}

extension FileSystem {
    /// Creates a folder and its parents, accessible only to the user (XDG Base Directory Specification 0.8).
    package static func makeFolders(_ path: String) throws {
        var made = ""
        for name in path.split(separator: "/") {
            made += "/" + name
            do throws(SystemError) {
                try makeFolder(made)
            } catch  where error.isTaken {
                continue
            } catch {
                throw PatchbayError(
                    .init(systemError: error.number), "cannot create the folder \"\(made)\": \(error.words)")
            }
        }
    }
}

extension PatchbayError {
    /// Runs a call, and throws its failure as ``system(_:_:_:)``.
    ///
    /// - Parameter problem: what could not be done, and to what.
    package static func reporting<Result>(
        _ problem: @autoclosure () -> String, details: @autoclosure () -> [Detail] = [],
        _ call: () throws(SystemError) -> Result
    ) throws(PatchbayError) -> Result {
        do throws(SystemError) {
            return try call()
        } catch {
            throw system(error.number, problem(), details())
        }
    }
}
