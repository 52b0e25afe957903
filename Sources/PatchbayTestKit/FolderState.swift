import PatchbayCore
import CPlatform
import PatchbaySystem

/// The contents and status of all files below a folder.
struct FolderState {
    struct File: Equatable {
        var bytes: [UInt8]
        var stamp: FileStatus.Stamp
    }

    let path: String
    private(set) var files: [String: File] = [:]
    private var folders: [String: FileStatus.Stamp] = [:]

    init(_ path: String) throws {
        self.path = path
        try look(at: path)
    }

    private mutating func look(at path: String) throws {
        guard FileSystem.isFolder(path) else {
            files[path] = File(bytes: try FolderState.read(path), stamp: try FolderState.stamp(path))
            return
        }
        folders[path] = try FolderState.stamp(path)
        for name in FileSystem.names(in: path) ?? [] { try look(at: path + "/" + name) }
    }

    /// Breaks the promise when a file or folder was added, removed or changed.
    func expectUnchanged(_ when: String) throws {
        let now = try FolderState(path)
        let names = Set(files.keys).symmetricDifference(now.files.keys)
            .union(Set(folders.keys).symmetricDifference(now.folders.keys))
        if let name = names.sorted().first { throw BrokenPromise("\(name) was added or removed \(when)") }
        for (name, file) in files where now.files[name] != file {
            throw BrokenPromise("\(name) was changed \(when)")
        }
        for (name, stamp) in folders where now.folders[name] != stamp {
            throw BrokenPromise("an entry was added or removed in \(name) \(when)")
        }
    }

    static func move(_ path: String, to other: String) throws {
        guard unsafe rename(path, other) == 0 else {
            throw BrokenPromise("\(path) cannot be moved to \(other)")
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BrokenPromise("\(path) cannot be written") }
        defer { close(descriptor) }
        guard unsafe CPlatform.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw BrokenPromise("\(path) cannot be written")
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BrokenPromise("\(path) cannot be read") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe CPlatform.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw BrokenPromise("\(path) cannot be read") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    private static func stamp(_ path: String) throws -> FileStatus.Stamp {
        guard let status = FileStatus(at: path, isLinkFollowed: false) else {
            throw BrokenPromise("\(path) does not exist")
        }
        return status.stamp
    }
}

/// A folder that is read-only until ``end()``: by a read-only mount for root, by permissions for other users.
///
/// The mount covers the folder itself, so it also works for the root of a file system, which cannot be remounted
/// read-only while a child process of another test has inherited its descriptors. For the same reason, the mount is
/// detached lazily.
package struct ReadOnlyFolder {
    private let path: String
    private let isMounted: Bool

    /// - Throws: ``CannotCheck`` when the process lacks the privilege.
    package init(_ path: String) throws {
        self.path = path
        isMounted = geteuid() == 0
        if !isMounted {
            ReadOnlyFolder.allowWriting(false, path)
            return
        }
        let quoted = "'\(path)'"
        let command = "mount --bind \(quoted) \(quoted) && mount -o remount,bind,ro \(quoted)"
        guard unsafe system("(\(command)) 2>/dev/null") == 0 else {
            _ = unsafe system("umount -l \(quoted) 2>/dev/null")
            throw CannotCheck(reason: "root may write everywhere, and this process may not mount a folder")
        }
    }

    /// Makes the folder writable again.
    package func end() {
        if isMounted {
            _ = unsafe system("umount -l '\(path)' 2>/dev/null")
        } else {
            ReadOnlyFolder.allowWriting(true, path)
        }
    }

    private static func allowWriting(_ isAllowed: Bool, _ path: String) {
        let isFolder = FileSystem.isFolder(path)
        // Listing a folder needs its permissions, so they are restored before its entries and removed after them.
        if isAllowed { _ = unsafe chmod(path, isFolder ? 0o700 : 0o600) }
        if isFolder {
            for name in FileSystem.names(in: path) ?? [] { allowWriting(isAllowed, path + "/" + name) }
        }
        if !isAllowed { _ = unsafe chmod(path, isFolder ? 0o500 : 0o400) }
    }
}
