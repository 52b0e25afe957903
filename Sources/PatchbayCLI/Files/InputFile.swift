import PatchbayCore

/// A file, or the standard input, that is read once from its start.
final class InputFile: Sendable {
    let name: String
    private let descriptor: Int32

    /// - Parameter path: `-` is the standard input.
    /// - Throws: `notFound`, `permissionDenied`.
    init(_ path: String) throws {
        name = path == "-" ? "standard input" : path
        if path == "-" {
            descriptor = 0
            return
        }
        switch POSIX.openForReading(path) {
        case .success(let opened): descriptor = opened
        case .failure(let failure): throw failure.error("the file \"\(path)\" cannot be opened")
        }
    }

    deinit { if descriptor != 0 { POSIX.close(descriptor) } }

    /// The next bytes; none at the end.
    func read(bytesMax: Int) throws -> [UInt8] {
        while true {
            switch POSIX.read(descriptor, bytesMax: bytesMax) {
            case .success(let bytes): return bytes
            case .failure(.interrupted): continue
            case .failure(let failure): throw failure.error("\"\(name)\" cannot be read")
            }
        }
    }
}

extension InputFile {
    /// All bytes, or the given number of them.
    func readAll(bytesMax: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < bytesMax {
            let more = try read(bytesMax: min(bytesMax - bytes.count, 1 << 20))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}

extension POSIX.Failure {
    /// The error for something that could not be done to a file.
    func error(_ what: String) -> PatchbayError {
        let code: PatchbayError.Code =
            isFull ? .storageFull : isAbsence ? .notFound : isRefusal ? .permissionDenied : .internalError
        return PatchbayError(code, "\(what): \(self)")
    }
}
