package import PatchbayCore
package import PatchbaySystem

/// A file or standard input, read once from the start.
package final class InputFile: Sendable {
    package let name: String
    private let descriptor: Int32

    /// - Parameter path: the path; `-` is standard input.
    /// - Throws: `notFound`, `permissionDenied`.
    package init(_ path: String) throws {
        name = path == "-" ? "standard input" : path
        if path == "-" {
            descriptor = 0
            return
        }
        switch Descriptor.openForReading(path) {
        case .success(let opened): descriptor = opened
        case .failure(let failure): throw failure.error("the file \"\(path)\" cannot be opened")
        }
    }

    deinit { if descriptor != 0 { Descriptor.close(descriptor) } }

    /// Returns the next bytes; empty at the end.
    package func read(bytesMax: Int) throws -> [UInt8] {
        while true {
            switch Descriptor.read(descriptor, bytesMax: bytesMax) {
            case .success(let bytes): return bytes
            case .failure(.interrupted): continue
            case .failure(.notOpen) where descriptor == 0:
                throw PatchbayError(
                    .notFound, "standard input is closed, so it cannot be read; name a file instead")
            case .failure(let failure): throw failure.error("\"\(name)\" cannot be read")
            }
        }
    }

    /// Reads the rest, or at most the given number of bytes.
    package func readAll(bytesMax: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < bytesMax {
            let more = try read(bytesMax: min(bytesMax - bytes.count, 1 << 20))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}

extension SystemError {
    /// Returns the error for a failed operation on a file.
    package func error(_ what: String) -> PatchbayError {
        PatchbayError(.init(systemError: number), "\(what): \(words)")
    }
}
