import PatchbayCore
import PatchbaySystem

/// Reads small files that the user or the system's administrator wrote.
///
/// A file is opened once, and the open file is checked: it must be a regular file that belongs to the user or root.
/// Links are followed, because the file at their end is checked. A pipe or device never blocks the reader.
enum FileReading {
    /// The permissions of other users that make a file unfit.
    enum Privacy {
        /// Others may read the file, but not write to it.
        case readable
        /// Others may neither read nor write the file.
        case secret
    }

    /// Why a file is not read, as a phrase that follows its name.
    struct Fault: Error {
        let words: String
    }

    /// Returns the file's bytes, or nil when the file does not exist.
    static func bytes(of path: String, bytesMax: Int, _ privacy: Privacy) throws(Fault) -> [UInt8]? {
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(path, .reading, isLinkFollowed: true)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw Fault(words: "cannot be opened: \(error.words)")
        }
        let status: FileStatus
        do throws(SystemError) {
            status = try file.status()
        } catch {
            throw Fault(words: "cannot be examined: \(error.words)")
        }
        if let words = privacy.fault(in: status) { throw Fault(words: words) }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.rest(max: bytesMax)
        } catch {
            throw Fault(words: "cannot be read: \(error.words)")
        }
        guard bytes.count <= bytesMax else { throw Fault(words: "has more than \(bytesMax) bytes") }
        return bytes
    }

    /// Whether a file or folder exists.
    static func exists(_ path: String) -> Bool { FileStatus(at: path) != nil }

    /// Whether something other than a folder exists at the path.
    ///
    /// - Throws: `invalidConfiguration` for a folder and for a path that cannot be examined.
    static func isFile(_ path: String) throws -> Bool {
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else { return false }
            if status.kind != .folder { return true }
        } catch  where error.isMissing {
            return false
        } catch {
            throw failure(path, "cannot be examined: \(error.words)")
        }
        throw failure(path, "is a folder")
    }

    static func failure(_ path: String, _ problem: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "the file \"\(path)\" \(problem)")
    }
}

extension FileReading.Privacy {
    /// Returns why a file is unfit, or nil.
    fileprivate func fault(in status: FileStatus) -> String? {
        switch status.kind {
        case .file: break
        case .folder: return "is a folder"
        case .link, .pipe, .other: return "is not a regular file"
        }
        guard status.isOwn || status.owner == 0 else {
            return "belongs to another user (uid \(status.owner)); make a copy that belongs to you"
        }
        switch self {
        case .readable where status.mode & (status.hasPrivateGroup ? 0o002 : 0o022) != 0:
            return "can be written by others; prevent that with chmod go-w"
        case .secret where status.mode & 0o044 != 0:
            return "can be read by others; prevent that with chmod 600"
        case .secret where status.mode & 0o022 != 0:
            return "can be written by others; prevent that with chmod 600"
        default: return nil
        }
    }
}

extension FileStatus {
    /// Whether the group belongs to the owner alone. Debian and Ubuntu give each user such a group with the user's
    /// id, and their umask lets it write to every new file.
    fileprivate var hasPrivateGroup: Bool { group == owner }
}
