// The C library's errors, as Patchbay reports them.

import CPlatform
import PatchbayCore

/// The operations of a storage on files. Tests make them fail here, as a faulty or full disk would.
struct Disk: Sendable {
    enum Operation: Sendable {
        case open, create, write, sync, truncate, rename, remove, makeFolder, syncFolder
    }

    /// Runs before each operation that changes the disk or opens a file. If it throws, the operation throws the same
    /// error.
    var before: @Sendable (Operation, String) throws -> Void = { _, _ in }

    /// Repeats a call that a signal interrupts.
    static func retrying(_ verb: String, _ path: String, _ call: () -> Int32) throws -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw error(errno, verb, path) }
        }
    }

    static func error(_ number: Int32, _ verb: String, _ path: String) -> PatchbayError {
        let reason = PatchbayError.systemWords(number)
        switch number {
        case ENOSPC, EDQUOT, EFBIG, EACCES, EPERM, EROFS:
            return .system(number, "could not \(verb) \"\(path)\"")
        case ENOENT:
            return PatchbayError(.notFound, "could not \(verb) \"\(path)\": \(reason); something removed it")
        case ELOOP:
            return PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" is a symbolic link, which a storage does not follow; put a file in its place")
        case ENOTDIR, EISDIR, ENOTEMPTY, ENAMETOOLONG, ENXIO:
            return PatchbayError(
                .invalidConfiguration,
                "could not \(verb) \"\(path)\": \(reason); move it away or set another path")
        case EMFILE, ENFILE:
            return PatchbayError(
                .internalError, "could not \(verb) \"\(path)\": \(reason); raise the limit (ulimit -n)")
        default:
            return PatchbayError(.internalError, "could not \(verb) \"\(path)\": \(reason); check the disk")
        }
    }

    static var processIdentifier: Int32 { getpid() }
}
