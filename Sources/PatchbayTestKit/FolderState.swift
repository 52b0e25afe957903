import PatchbayCore
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

    /// Writes all folders and files again, at their paths, where nothing is.
    func copy() throws {
        for folder in folders.keys.sorted() { try TemporaryDirectory.makeFolder(folder) }
        for (path, file) in files { try FolderState.write(file.bytes, to: path) }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        do throws(SystemError) {
            let file = try OpenFile(path, .creatingIfMissing, isLinkFollowed: true)
            try file.truncate(to: 0)
            try unsafe file.write(bytes.span.bytes)
        } catch {
            throw BrokenPromise("\(path) cannot be written")
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        do throws(SystemError) {
            return try OpenFile(path, .reading, isLinkFollowed: true).rest(max: Int(Int32.max))
        } catch {
            throw BrokenPromise("\(path) cannot be read")
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
        isMounted = CurrentProcess.isRoot
        if !isMounted {
            ReadOnlyFolder.allowWriting(false, path)
            return
        }
        let quoted = "'\(path)'"
        let command = "mount --bind \(quoted) \(quoted) && mount -o remount,bind,ro \(quoted)"
        guard Shell.run(command) else {
            Shell.run("umount -l \(quoted)")
            throw CannotCheck(reason: "root may write everywhere, and this process may not mount a folder")
        }
    }

    /// Makes the folder writable again.
    package func end() {
        if isMounted {
            Shell.run("umount -l '\(path)'")
        } else {
            ReadOnlyFolder.allowWriting(true, path)
        }
    }

    private static func allowWriting(_ isAllowed: Bool, _ path: String) {
        let isFolder = FileSystem.isFolder(path)
        // Listing a folder needs its permissions, so they are restored before its entries and removed after them.
        if isAllowed { try? FileSystem.setMode(isFolder ? 0o700 : 0o600, of: path) }
        if isFolder {
            for name in FileSystem.names(in: path) ?? [] { allowWriting(isAllowed, path + "/" + name) }
        }
        if !isAllowed { try? FileSystem.setMode(isFolder ? 0o500 : 0o400, of: path) }
    }
}
