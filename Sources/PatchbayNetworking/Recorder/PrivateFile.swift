import PatchbayCore
import PatchbaySystem

/// A regular file, open for reading and writing and locked against other recorders.
final class PrivateFile {
    private let file: OpenFile
    private let path: String
    /// Whether this recorder created the file and so may write to it, because no other program's file shares its bytes.
    let isOwn: Bool

    /// Opens an existing file, but not through a symbolic link, and locks it.
    ///
    /// - Throws: `busy` when another recorder, in this process or another, has locked it; `invalidConfiguration` when
    ///   it is not a regular file.
    init(existing path: String) throws {
        self.path = path
        isOwn = false
        file = try Self.reporting("open", path) { () throws(SystemError) in
            try OpenFile(path, .readingAndWriting)
        }
        guard try status().kind == .file else { throw Self.inTheWay(path) }
        guard try isLocked() else { throw Self.busy(path) }
    }

    /// Creates a file that only its owner may read, and locks it.
    ///
    /// - Parameters:
    ///   - newPath: an unused name.
    ///   - path: the path of the recording, for messages.
    init(new newPath: String, for path: String) throws {
        self.path = path
        isOwn = true
        file = try Self.reporting("write", path) { () throws(SystemError) in try OpenFile(newPath, .creating)
        }
        // A recorder that starts at this moment may find the file before it is locked and remove it as a leftover.
        guard try isLocked(), try status().links == 1 else { throw Self.busy(path) }
        // The umask clears bits of the mode that `open` was given.
        try change(mode: 0o600)
    }

    static func busy(_ path: String) -> PatchbayError {
        PatchbayError(.busy, "another recorder writes to \"\(path)\"; wait for it, or use another path")
    }

    /// Tries to lock the file for this object alone. The lock ends when the file is closed, however the process ends.
    private func isLocked() throws -> Bool {
        try Self.reporting("lock", path) { () throws(SystemError) in try file.lock() }
    }

    deinit { file.unlock() }

    /// Reads up to `count` bytes; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        try Self.reporting("read", path) { () throws(SystemError) in try file.bytes(count, at: offset) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try Self.reporting("write", path) { () throws(SystemError) in
            try unsafe file.write(bytes.span.bytes, at: offset)
        }
    }

    func empty() throws {
        try Self.reporting("empty", path) { () throws(SystemError) in try file.truncate(to: 0) }
    }

    /// Copies the permissions of another file if this user owns it.
    func takePermissions(of other: PrivateFile) throws {
        let status = try other.status()
        if status.isOwn { try change(mode: status.mode) }
    }

    private func change(mode: UInt32) throws {
        try Self.reporting("change", path) { () throws(SystemError) in try file.setMode(mode) }
    }

    private func status() throws -> FileStatus { try Self.reporting("look at", path, file.status) }
}

// MARK: - The names of copies

extension PrivateFile {
    /// Removes a recorder's leftover: a regular file of this user that no recorder has locked.
    ///
    /// - Returns: false when a running recorder has locked it.
    static func isCleared(leftover path: String) -> Bool {
        // A file that cannot be opened in this way is not a recorder's.
        guard let file = try? OpenFile(path, .readingAndWriting), let status = try? file.status(),
            status.kind == .file, status.isOwn
        else { return true }
        guard (try? file.lock()) == true else { return false }
        try? FileSystem.remove(path)
        file.unlock()
        return true
    }

    /// Renames a copy, which replaces the recording.
    static func rename(_ path: String, to newPath: String) throws {
        try reporting("rename", path) { () throws(SystemError) in try FileSystem.rename(path, to: newPath) }
    }

    /// Runs a call on the file of a recording.
    private static func reporting<Result>(
        _ verb: String, _ path: String, _ call: () throws(SystemError) -> Result
    ) throws -> Result {
        do throws(SystemError) {
            return try call()
        } catch {
            throw self.error(error, verb, path)
        }
    }

    private static func error(_ error: SystemError, _ verb: String, _ path: String) -> PatchbayError {
        if error.isUnsuitableFile { return inTheWay(path) }
        let code = PatchbayError.Code(systemError: error.number)
        let advice =
            switch code {
            case .storageFull: "make room or record elsewhere"
            case .permissionDenied: "change the permissions or record elsewhere"
            case .notFound: "create the folder or record elsewhere"
            default: "record elsewhere"
            }
        // The path is the setting source.record.
        let isUnsuitable = [.notFound, .invalidValue].contains(code)
        return PatchbayError(
            isUnsuitable ? .invalidConfiguration : code,
            "cannot \(verb) the recording \"\(path)\": \(error.words); \(advice)")
    }

    /// Returns the error for a path that is not a regular file.
    private static func inTheWay(_ path: String) -> PatchbayError {
        let name =
            switch FileStatus(at: path, isLinkFollowed: false)?.kind {
            case .link: "a symbolic link; record into the file that it leads to"
            case .folder: "a folder; name a file in it"
            case .pipe: "a named pipe; record into a file"
            case .file, .other, nil: "not a regular file; record into another one"
            }
        return PatchbayError(.invalidConfiguration, "\"\(path)\" is \(name)")
    }
}
