import PatchbayCore
import PatchbaySystem

/// The token that `patchbay serve` makes when the user has set none: `$XDG_STATE_HOME/patchbay/serve-token`, which only
/// its owner may read. It is kept, so that pages and programs that know it stay connected after a restart.
package struct MadeToken: Sendable {
    /// The token.
    package let text: String
    /// The path of its file.
    package let path: String

    private static let bytesMax = 256

    /// Reads the file, or makes it with a random token of 256 bits.
    ///
    /// - Throws: `invalidConfiguration` without a home folder, and for a file that others may read or that contains no
    ///   token; `permissionDenied` and other errors of the disk.
    package init(environment: [String: String] = ProcessEnvironment.variables) throws {
        do throws(PatchbayError) {
            path = try PathExpansion(environment: environment).expand(
                "${XDG_STATE_HOME}/patchbay/serve-token", from: nil)
        } catch {
            throw PatchbayError(
                .invalidConfiguration,
                "there is no folder for the server's token; set serve.token, HOME or XDG_STATE_HOME")
        }
        if let known = try Self.token(in: path) {
            text = known
            return
        }
        let new = (0..<4).map { _ in UInt64.random(in: .min ... .max).hexadecimal }.joined()
        try Self.write(new, path)
        // Another server may have made the file first.
        text = try Self.token(in: path) ?? new
    }

    private static func token(in path: String) throws -> String? {
        let bytes: [UInt8]?
        do {
            bytes = try FileReading.bytes(of: path, bytesMax: bytesMax, .secret)
        } catch {
            throw FileReading.failure(path, error.words)
        }
        guard let bytes else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        guard text.utf8.count >= 32, text.isVisibleASCII else {
            throw FileReading.failure(
                path, "contains no token; delete it, and the next server makes another one")
        }
        return text
    }

    /// Writes a complete file under another name and gives it the path, unless there is a file by then.
    private static func write(_ token: String, _ path: String) throws {
        try FileSystem.makeFolders(String(path[..<path.lastIndex(of: "/")!]))
        let temporary = path + "." + UInt64.random(in: .min ... .max).hexadecimal
        do throws(SystemError) {
            let file = try OpenFile(temporary, .creating)
            defer { try? FileSystem.remove(temporary) }
            try unsafe file.write(Array((token + "\n").utf8).span.bytes)
            // The umask may have removed the owner's permissions.
            try file.setMode(0o600)
            try file.sync()
            try FileSystem.link(temporary, as: path)
        } catch  where error.isTaken {
            return
        } catch {
            throw failure(path, error)
        }
    }

    private static func failure(_ path: String, _ error: SystemError) -> PatchbayError {
        PatchbayError(
            .init(systemError: error.number),
            "the token \"\(path)\" cannot be made: \(error.words); set serve.token")
    }
}
