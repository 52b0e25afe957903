import PatchbayCore
import PatchbaySystem

/// A new file or standard output. The file appears under its name only when it is complete.
package final class OutputFile: Sendable {
    private let path: String?
    private let unfinished: String
    package let stream: StandardStream

    /// - Parameters:
    ///   - path: nil or `-` is standard output.
    ///   - replaces: whether ``finish()`` may replace a file at the path; nil when the command has no option for that.
    /// - Throws: `conflict` when the file exists or is being written; `notFound` when its folder does not exist;
    ///   `permissionDenied`.
    package init(_ path: String?, replaces: Bool? = nil) throws {
        guard let path, path != "-" else {
            (self.path, unfinished, stream) = (nil, "", .output)
            return
        }
        if replaces != true, FileSystem.isTaken(path) {
            let option = replaces == nil ? "" : ", or add --replace"
            throw PatchbayError(
                .conflict, "the file \"\(path)\" already exists; remove it or choose another name\(option)")
        }
        self.path = path
        unfinished = path + ".unfinished"
        switch Interruption.creating(
            unfinished: unfinished, { [unfinished] in Descriptor.create(unfinished) })
        {
        case .success(let descriptor): stream = StandardStream(descriptor: descriptor)
        case .failure(.taken):
            throw PatchbayError(
                .conflict,
                "the file \"\(unfinished)\" already exists: another command is writing it, or was killed; "
                    + "wait, remove it or choose another name")
        case .failure(let failure): throw failure.error("the file \"\(path)\" cannot be created")
        }
    }

    /// Flushes the file to disk and renames it to its final name.
    package func finish() throws {
        guard let path else { return }
        let outcome = Descriptor.sync(stream.descriptor).flatMap { _ in
            Interruption.completing {
                Result { () throws(SystemError) in try FileSystem.rename(unfinished, to: path) }
            }
        }
        if case .failure(let failure) = outcome {
            throw failure.error("the file \"\(path)\" cannot be completed")
        }
    }

    deinit {
        guard path != nil else { return }
        Descriptor.close(stream.descriptor)
        // Fails without effect if the file was finished, and thereby renamed.
        try? FileSystem.remove(unfinished)
        Interruption.forgetUnfinished()
    }
}

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
