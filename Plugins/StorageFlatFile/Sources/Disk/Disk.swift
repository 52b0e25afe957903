// The C library's errors, as Patchbay reports them.

import PatchbayCore
import PatchbaySystem

/// The operations of a storage on files. Tests make them fail here, as a faulty or full disk would.
struct Disk: Sendable {
    enum Operation: Sendable {
        case open, create, write, sync, truncate, rename, remove, makeFolder, syncFolder
    }

    /// Runs before each operation that changes the disk or opens a file. If it throws, the operation throws the same
    /// error.
    var before: @Sendable (Operation, String) throws -> Void = { _, _ in }

    /// Runs a call on a file or folder.
    static func reporting<Result>(
        _ verb: String, _ path: @autoclosure () -> String, _ call: () throws(SystemError) -> Result
    ) throws(PatchbayError) -> Result {
        do throws(SystemError) {
            return try call()
        } catch {
            throw Disk.error(error, verb, path())
        }
    }

    static func error(_ error: SystemError, _ verb: String, _ path: String) -> PatchbayError {
        let reason = error.words
        switch error {
        case .diskFull, .quotaExceeded, .fileTooLarge, .accessDenied, .notPermitted, .readOnly:
            return .system(error.number, "could not \(verb) \"\(path)\"")
        case .missing:
            return PatchbayError(.notFound, "could not \(verb) \"\(path)\": \(reason); something removed it")
        case .link:
            return PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" is a symbolic link, which a storage does not follow; put a file in its place")
        case .noFolder, .isFolder, .folderNotEmpty, .nameTooLong, .noOtherEnd:
            return PatchbayError(
                .invalidConfiguration,
                "could not \(verb) \"\(path)\": \(reason); move it away or set another path")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            return PatchbayError(
                .internalError, "could not \(verb) \"\(path)\": \(reason); raise the limit (ulimit -n)")
        default:
            return PatchbayError(.internalError, "could not \(verb) \"\(path)\": \(reason); check the disk")
        }
    }

    static var processIdentifier: Int32 { CurrentProcess.number }
}
