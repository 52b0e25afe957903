internal import PatchbayCore

/// Where a command writes: data to the standard output, everything else to the standard error.
///
/// Nothing is buffered here; give it whole answers, or whole lines where somebody waits for them.
struct StandardStream: Sendable {
    let descriptor: Int32

    static let output = StandardStream(descriptor: 1)
    static let errors = StandardStream(descriptor: 2)

    /// Makes writing into a pipe that nobody reads an error, ``BrokenPipe``, and not the end of the process.
    ///
    /// To be called once, before the first write.
    static func ignoreBrokenPipeSignal() { POSIX.ignoreBrokenPipeSignal() }

    /// Writes all the bytes.
    ///
    /// - Throws: ``BrokenPipe`` when nobody reads them; `invalidValue` when the descriptor was closed before the
    ///   command began, `storageFull` when the file's disk is full,
    ///   `internalError` for what else the system reports. Part of the bytes may be written then.
    func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            switch POSIX.write(bytes, from: written, to: descriptor) {
            case .success(let count): written += count
            case .failure(.interrupted): continue
            case .failure(.wouldBlock): POSIX.waitUntilWritable(descriptor)
            case .failure(.brokenPipe): throw BrokenPipe()
            case .failure(let failure): throw StandardStream.error(failure)
            }
        }
    }

    /// Writes a text in UTF-8.
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    private static func error(_ failure: POSIX.Failure) -> PatchbayError {
        if failure == .closed {
            return PatchbayError(
                .invalidValue, "the output is closed (>&-); send it to a file or to /dev/null instead")
        }
        let message = "cannot write the output: \(failure)"
        guard failure.isFull else { return PatchbayError(.internalError, message) }
        return PatchbayError(.storageFull, message + "; free some or send the output elsewhere")
    }
}
