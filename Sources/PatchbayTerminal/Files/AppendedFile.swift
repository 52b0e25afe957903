import PatchbayCore
import PatchbaySystem

/// A file to which lines are appended, possibly by several processes. Only its owner may read it.
package final class AppendedFile: Sendable {
    private let stream: StandardStream

    /// - Throws: `permissionDenied`; `notFound` when the folder does not exist; `invalidValue` for a link, a folder or
    ///   a pipe without a reader.
    package init(_ path: String) throws {
        switch Descriptor.openForAppending(path) {
        case .success(let descriptor): stream = StandardStream(descriptor: descriptor)
        case .failure(let failure) where failure == .link || failure == .tooManyLinks:
            throw PatchbayError(.invalidValue, "the file \"\(path)\" is a link, which is not followed")
        case .failure(let failure): throw failure.error("the file \"\(path)\" cannot be written")
        }
    }

    /// Appends a line. A failure is reported on standard error.
    package func append(_ line: String) {
        do {
            try stream.write(TerminalText.harmless(line) + "\n")
        } catch {
            Message.write("cannot write a line of the log: \(error)")
        }
    }

    deinit { Descriptor.close(stream.descriptor) }
}
