import PatchbayCore

/// A new file, or the standard output. The file appears under its name when it is whole.
final class OutputFile: Sendable {
    private let path: String?
    private let unfinished: String
    let stream: StandardStream

    /// - Parameter path: where nothing is yet; nil or `-` is the standard output.
    /// - Throws: `conflict` when something is there or being written, `notFound` when its folder is not,
    ///   `permissionDenied`.
    init(_ path: String?) throws {
        guard let path, path != "-" else {
            (self.path, unfinished, stream) = (nil, "", .output)
            return
        }
        if POSIX.exists(path) {
            throw PatchbayError(
                .conflict, "the file \"\(path)\" is there already; remove it or choose another name")
        }
        self.path = path
        unfinished = path + ".unfinished"
        switch POSIX.create(unfinished) {
        case .success(let descriptor): stream = StandardStream(descriptor: descriptor)
        case .failure(.taken):
            throw PatchbayError(
                .conflict,
                "the file \"\(unfinished)\" is there already: another command writes it, or one was killed; "
                    + "wait, remove it or choose another name")
        case .failure(let failure): throw failure.error("the file \"\(path)\" cannot be made")
        }
    }

    /// Puts the file on the disk and gives it its name.
    func finish() throws {
        guard let path else { return }
        for outcome in [POSIX.sync(stream.descriptor), POSIX.rename(unfinished, to: path)] {
            if case .failure(let failure) = outcome {
                throw failure.error("the file \"\(path)\" cannot be finished")
            }
        }
    }

    deinit {
        guard path != nil else { return }
        POSIX.close(stream.descriptor)
        // Not there any more when the file was finished.
        POSIX.remove(unfinished)
    }
}
