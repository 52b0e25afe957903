import CPlatform
import PatchbayCore

/// The found configuration files to which the user has consented, in `$XDG_STATE_HOME/patchbay/trusted`.
///
/// A record is a copy of the file after its path, so that every change of the file is detected, without relying on a
/// digest.
struct ConsentRecords {
    let environment: [String: String]

    /// Whether the user has consented to this file with these bytes.
    func holds(_ place: String, _ bytes: [UInt8]) throws -> Bool {
        guard let path = recordPath(for: place) else { return false }
        do {
            let max = ConfigurationFile.bytesMax + Int(PATH_MAX) + 1
            return try FileReading.bytes(of: path, bytesMax: max, .secret) == record(place, bytes)
        } catch {
            throw FileReading.failure(path, error.words)
        }
    }

    /// - Throws: `permissionDenied` and other errors of the disk; `invalidConfiguration` without a home folder.
    func add(_ place: String, _ bytes: [UInt8]) throws {
        guard let path = recordPath(for: place) else {
            throw PatchbayError(
                .invalidConfiguration, "there is no folder to store consent in; set HOME or XDG_STATE_HOME")
        }
        _ = try remove(place)
        try Folder.make(String(path[..<path.lastIndex(of: "/")!]))
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        var rest = record(place, bytes)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns false when there was no consent.
    func remove(_ place: String) throws -> Bool {
        guard let path = recordPath(for: place) else { return false }
        if unsafe unlink(path) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw failure(path, errno) }
        return false
    }

    /// The path, a zero byte, which paths do not contain, and the file.
    private func record(_ place: String, _ bytes: [UInt8]) -> [UInt8] { Array(place.utf8) + [0] + bytes }

    /// Nil without a home folder. Two paths may have the same record by chance; the later consent then replaces the
    /// earlier.
    private func recordPath(for place: String) -> String? {
        let name = String(TokenFingerprint(place).description)
        let folder: String
        do throws(PatchbayError) {
            folder = try PathExpansion(environment: environment).expand(
                "${XDG_STATE_HOME}/patchbay/trusted", from: nil)
        } catch {
            return nil
        }
        return folder + "/" + name
    }

    private func failure(_ path: String, _ number: Int32) -> PatchbayError {
        PatchbayError(
            .init(systemError: number),
            "the consent \"\(path)\" cannot be changed: \(PatchbayError.systemWords(number))")
    }
}
