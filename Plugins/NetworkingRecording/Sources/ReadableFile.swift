import PatchbayCore
import PatchbaySystem

/// A file that is open for reading. It is closed when the value is destroyed.
struct ReadableFile: ~Copyable {
    let path: String
    let stamp: FileStatus.Stamp
    private let file: OpenFile

    /// - Throws: `invalidConfiguration` when the file does not exist or is not a regular file; `permissionDenied` when
    ///   it may not be read.
    init(_ path: String) throws {
        let file: OpenFile, status: FileStatus
        do throws(SystemError) {
            file = try OpenFile(path, .reading, isLinkFollowed: true)
            status = try file.status()
        } catch {
            throw PatchbayError.unreadable(path, error)
        }
        guard status.kind == .file else {
            throw PatchbayError(
                .invalidConfiguration, "the recording \"\(path)\" is not a file; name a HAR file")
        }
        self.file = file
        self.path = path
        stamp = status.stamp
    }

    /// Returns the contents of a file below a folder.
    ///
    /// - Parameter names: the folders below `folder`, and the file. None is a link, even if it changes meanwhile.
    static func bytes(attached names: [String], in folder: String) throws(AttachedBody.Fault) -> [UInt8] {
        let name = names.joined(separator: "/")
        let file: OpenFile, status: FileStatus
        do throws(SystemError) {
            var opened = try OpenFile(folder, .folder, isLinkFollowed: true)
            for part in names.dropLast() { opened = try OpenFile(part, .folder, in: opened) }
            file = try OpenFile(names.last!, .reading, in: opened)
            status = try file.status()
        } catch {
            throw fault(error, name)
        }
        guard status.kind == .file else { throw .link(name) }
        guard status.bytes <= HARFile.entryBytesMax else { throw .tooLarge(name) }
        do throws(SystemError) {
            return try file.bytes(status.bytes, at: 0)
        } catch {
            throw .unreadable(name, error.words)
        }
    }

    private static func fault(_ error: SystemError, _ name: String) -> AttachedBody.Fault {
        // A folder in the way is a link or a file.
        if error.isLink || error.isNoFolder { return .link(name) }
        return error.isMissing ? .missing(name) : .unreadable(name, error.words)
    }

    /// Returns `count` bytes from an offset, or fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        do throws(SystemError) {
            return try file.bytes(count, at: offset)
        } catch {
            throw PatchbayError.unreadable(path, error)
        }
    }
}

extension PatchbayError {
    /// The error for the file or folder of a recording that cannot be read.
    static func unreadable(_ path: String, _ error: SystemError) -> PatchbayError {
        if error.isMissing {
            return PatchbayError(
                .invalidConfiguration,
                "the recording \"\(path)\" does not exist; name a HAR file, or a folder of HAR files")
        }
        let code = Code(systemError: error.number)
        if code == .permissionDenied {
            return PatchbayError(
                code, "the recording \"\(path)\" may not be read; change its permissions")
        }
        return PatchbayError(
            .invalidConfiguration, "the recording \"\(path)\" cannot be read: \(error.words)")
    }
}
