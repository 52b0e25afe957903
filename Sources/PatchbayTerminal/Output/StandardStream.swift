internal import PatchbayCore
internal import PatchbaySystem

/// The streams of a command: data goes to standard output, everything else to standard error.
///
/// Writes are not buffered, so pass complete answers, or complete lines when the user is waiting for them.
package struct StandardStream: Sendable {
    package let descriptor: Int32

    package static let output = StandardStream(descriptor: 1)
    package static let errors = StandardStream(descriptor: 2)

    /// Writes all the bytes.
    ///
    /// - Throws: ``BrokenPipe`` when the reader has gone; `invalidValue` when the descriptor was closed before the
    ///   command began; `storageFull` when the file's disk is full; `internalError` for other errors of the system.
    ///   Some of the bytes may have been written.
    package func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            switch Descriptor.write(bytes, from: written, to: descriptor) {
            case .success(let count): written += count
            case .failure(.interrupted): continue
            case .failure(.tryAgain): Descriptor.waitUntilWritable(descriptor)
            case .failure(.readerGone): throw BrokenPipe()
            case .failure(let failure): throw StandardStream.error(failure)
            }
        }
    }

    package func write(_ text: String) throws { try write(Array(text.utf8)) }

    private static func error(_ failure: SystemError) -> PatchbayError {
        if failure == .notOpen {
            return PatchbayError(
                .invalidValue, "the output is closed (>&-); send it to a file or to /dev/null instead")
        }
        let message = "cannot write the output: \(failure.words)"
        guard failure.isFull else { return PatchbayError(.internalError, message) }
        return PatchbayError(.storageFull, message + "; free some space or send the output elsewhere")
    }
}

/// The reader of the output has closed it, as in `patchbay list users | head`.
///
/// This is not a failure: the command stops and exits with the status of success.
package struct BrokenPipe: Error {
    package init() {}
}
