import PatchbayCore
import PatchbaySystem

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
            let max = ConfigurationFile.bytesMax + FileSystem.pathBytesMax + 1
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
        try FileSystem.makeFolders(String(path[..<path.lastIndex(of: "/")!]))
        do throws(SystemError) {
            try unsafe OpenFile(path, .creating).write(record(place, bytes).span.bytes)
        } catch {
            throw failure(path, error)
        }
    }

    /// Returns false when there was no consent.
    func remove(_ place: String) throws -> Bool {
        guard let path = recordPath(for: place) else { return false }
        do throws(SystemError) {
            try FileSystem.remove(path)
            return true
        } catch  where error.isMissing {
            return false
        } catch {
            throw failure(path, error)
        }
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

    private func failure(_ path: String, _ error: SystemError) -> PatchbayError {
        PatchbayError(
            .init(systemError: error.number),
            "the consent \"\(path)\" cannot be changed: \(error.words)")
    }
}
