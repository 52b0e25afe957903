package import PatchbaySystem

/// What exists at the path of a storage, with the same error messages for every storage.
public enum StoragePlace: Sendable, Equatable {
    /// Neither a file nor a folder exists.
    case nothing
    /// A regular file of this size.
    case file(bytes: Int)
    /// A folder, which may be empty.
    case folder

    /// Follows links, as opening does.
    ///
    /// - Throws: `invalidConfiguration` for a path that cannot be used: an empty one, one with a name too long, a link
    ///   that leads nowhere, a device or a socket; `permissionDenied`.
    public init(at path: String) throws {
        if path.isEmpty || path.utf8.contains(0) { throw StoragePlace.refused(path, "is not a path") }
        let status: FileStatus?
        do throws(SystemError) {
            status = try FileStatus.of(path)
        } catch {
            throw StoragePlace.failure(path, error.number)
        }
        guard let status else {
            if FileStatus(at: path, isLinkFollowed: false) != nil {
                throw StoragePlace.refused(
                    path, "is a link that leads nowhere; remove it or set another path")
            }
            self = .nothing
            return
        }
        switch status.kind {
        case .file: self = .file(bytes: status.bytes)
        case .folder: self = .folder
        case .link, .pipe, .other:
            throw StoragePlace.refused(path, "is neither a file nor a folder; set another path")
        }
    }

    /// Whether a storage's folder exists.
    ///
    /// - Throws: `invalidConfiguration` for a file and for a path that cannot be used.
    package static func isFolder(at path: String) throws -> Bool {
        switch try StoragePlace(at: path) {
        case .folder: return true
        case .nothing: return false
        case .file: throw refused(path, "is a file; set the path of a folder")
        }
    }

    /// Throws `invalidConfiguration` unless a file or folder can be created at the path, because its folder exists.
    public static func checkMayBeMade(at path: String) throws {
        let folder = FileSystem.parent(of: path)
        switch try StoragePlace(at: folder) {
        case .folder: return
        case .file: throw refused(path, "lies in \"\(folder)\", which is not a folder; set another path")
        case .nothing:
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(folder)\" does not exist; create it or set another path",
                [.file(path)])
        }
    }

    /// Throws `conflict` when a file, folder or link exists at the path of a copy, and `invalidConfiguration` when
    /// nothing can be created there.
    package static func checkIsFree(at path: String) throws {
        if !path.isEmpty, !path.utf8.contains(0), FileStatus(at: path, isLinkFollowed: false) != nil {
            throw taken(path)
        }
        _ = try StoragePlace(at: path)
        try checkMayBeMade(at: path)
    }

    /// The path of a copy until it is complete. It is random, so nothing that another process made is there.
    package static func unfinished(_ path: String) -> String {
        path + ".unfinished-" + String(UInt32.random(in: 0...(.max)), radix: 16)
    }

    /// The path of a copy that replaces an earlier one, until it is complete. Only one process at a time makes such a
    /// copy, so what exists there is the rest of an attempt that was killed.
    package static func unfinishedReplacement(_ path: String) -> String { path + ".unfinished" }

    /// The error for the path of a copy at which something exists.
    package static func taken(_ path: String) -> PatchbayError {
        PatchbayError(
            .conflict, "\"\(path)\" already exists; choose another path or move it away", [.file(path)])
    }

    /// The error for a storage that does not exist and must not be created.
    public static func notFound(_ path: String) -> PatchbayError {
        PatchbayError(
            .notFound, "nothing is stored at \"\(path)\" yet; store something, or set another path",
            [.file(path)])
    }

    /// The error for a storage whose files were removed or replaced while it was open.
    public static func removed(_ path: String) -> PatchbayError {
        PatchbayError(
            .notFound, "the storage \"\(path)\" was removed or replaced while it was open; open it again",
            [.file(path)])
    }

    /// The error for a write to a storage that was opened for reading.
    public static func openForReading(_ path: String) -> PatchbayError {
        PatchbayError(
            .permissionDenied, "the storage \"\(path)\" is open for reading only", [.file(path)])
    }

    /// The error for a path that a storage cannot use.
    package static func refused(_ path: String, _ why: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "\"\(path)\" \(why)", [.file(path)])
    }

    /// The error for a failed system call.
    package static func failure(_ path: String, _ systemError: Int32) -> PatchbayError {
        switch SystemError(systemError) {
        case .noFolder, .nameTooLong, .link:
            refused(path, "is not a usable path: \(SystemError(systemError).words)")
        default: .system(systemError, "\"\(path)\" cannot be reached", [.file(path)])
        }
    }
}

/// What distinguishes a storage from an earlier or another state of the same data, in which numbers of changes may have
/// been given differently.
public struct StorageIdentity: Hashable, Sendable {
    /// Names the file, the folder or the part of a server that holds the rows. It differs when they were copied, moved
    /// to another disk or restored.
    public var place: String
    /// The start of the machine that this process runs under, when a power cut may lose commits; nil when none can be
    /// lost.
    public var start: String?

    /// Creates an identity; without a start, commits survive every failure.
    public init(place: String, start: String? = nil) {
        self.place = place
        self.start = start
    }
}

extension StorageIdentity {
    /// The identity of a file or folder on a local disk, which a storage creates once and never replaces.
    ///
    /// - Parameters:
    ///   - path: a file or folder. Links are followed.
    ///   - durability: how durable commits are; without ``Durability/full``, a restart of the machine may lose some.
    /// - Throws: `notFound` when nothing is at the path, or the reason why it cannot be reached.
    public init(ofFileAt path: String, durability: Durability) throws {
        do throws(SystemError) {
            guard let status = try FileStatus.of(path) else { throw .missing }
            self.init(status.identity, durability)
        } catch  where error == .missing {
            throw StoragePlace.notFound(path)
        } catch {
            throw StoragePlace.failure(path, error.number)
        }
    }

    /// The identity of files on a local disk.
    package init(_ file: FileStatus.Identity, _ durability: Durability) {
        self.init(
            place: "\(file.device):\(file.number):\(file.born)",
            start: durability == .full ? nil : MachineStart.identifier
        )
    }
}

/// The present start of the machine.
package enum MachineStart {
    /// Names the start; a constant where the system does not name it, so that a restart is not noticed.
    package static let identifier: String = {
        // Absent outside Linux, and in some sandboxes.
        let text = SystemFile.text("/proc/sys/kernel/random/boot_id")
        return text?.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "unknown"
    }()
}
