internal import PatchbayCore

/// A file that lines are added to, by several processes if need be. Only its owner may read it.
final class AppendedFile: Sendable {
    private let stream: StandardStream

    /// - Throws: `permissionDenied`, `notFound` for a folder that is not there.
    init(_ path: String) throws {
        switch POSIX.openForAppending(path) {
        case .success(let descriptor): stream = StandardStream(descriptor: descriptor)
        case .failure(let failure): throw failure.error("the file \"\(path)\" cannot be written")
        }
    }

    /// Adds a line. One that cannot be written is told on the standard error.
    func append(_ line: String) {
        do {
            try stream.write(TerminalText.harmless(line) + "\n")
        } catch {
            Message.write("a line of the log cannot be written: \(error)")
        }
    }

    deinit { POSIX.close(stream.descriptor) }
}
