import CPlatform

/// Files and folders by their paths.
package enum FileSystem {
    /// The maximum length of a path, with the zero at its end.
    package static let pathBytesMax = Int(PATH_MAX)

    /// The names in a folder, including hidden ones, ordered by bytes; without `.` and `..`.
    ///
    /// - Returns: nil when the folder cannot be read; `errno` contains the reason.
    package static func names(in path: String) -> [String]? {
        guard let stream = unsafe opendir(path) else { return nil }
        return unsafe names(stream)
    }

    /// The names in an open folder, as ``names(in:)-(String)`` returns them.
    package static func names(in folder: Int32) -> [String]? {
        // Opened again, because a descriptor has only one position in the listing.
        let again = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard again >= 0 else { return nil }
        guard let stream = unsafe fdopendir(again) else {
            close(again)
            return nil
        }
        return unsafe names(stream)
    }

    private static func names(_ stream: OpaquePointer) -> [String] {
        defer { unsafe closedir(stream) }
        var names: [String] = []
        // An entry is valid until the next readdir; its name is copied before that.
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
                unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether a path is a folder; a link to a folder is not.
    package static func isFolder(_ path: String) -> Bool {
        FileStatus(at: path, isLinkFollowed: false)?.kind == .folder
    }

    /// Whether a path leads to a folder, directly or through links.
    package static func exists(at path: String) -> Bool { FileStatus(at: path)?.kind == .folder }

    /// The folder of a path: `.` for a name alone, and `/` for a name in it and for itself.
    package static func parent(of path: String) -> String {
        let path = trimmed(path)
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path without the slashes at its end; `/` stays.
    package static func trimmed(_ path: String) -> String {
        var rest = path[...]
        while rest.utf8.count > 1, rest.utf8.last == UInt8(ascii: "/") { rest.removeLast() }
        return String(rest)
    }

    /// Removes a file, a link itself, or a folder with its contents. Anything that cannot be removed stays.
    package static func removeAll(_ path: String) {
        guard isFolder(path) else {
            _ = unsafe unlink(path)
            return
        }
        for name in names(in: path) ?? [] { removeAll("\(path)/\(name)") }
        // A folder that is not empty stays.
        try? removeFolder(path)
    }

    /// Removes an empty folder.
    package static func removeFolder(_ path: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe rmdir(path) }
    }

    /// Creates a folder that is accessible only to the user.
    package static func makeFolder(_ path: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe mkdir(path, 0o700) }
    }

    /// Creates a folder with a unique name that begins with a path, and returns its path. It is accessible only to the
    /// user.
    package static func makeUniqueFolder(_ start: String) throws(SystemError) -> String {
        var template = Array("\(start)-XXXXXX".utf8CString)
        // mkdtemp writes the name over the template without changing its length.
        guard unsafe mkdtemp(&template) != nil else { throw .last }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the user may write to a file.
    ///
    /// - Throws: ``SystemError/missing`` when there is none.
    package static func mayWrite(to path: String) throws(SystemError) -> Bool {
        guard let obstacle = obstacleToWriting(path) else { return true }
        if obstacle.isMissing { throw .missing }
        return false
    }

    /// Why the user may not write to a file or folder; nil when that is permitted.
    package static func obstacleToWriting(_ path: String) -> SystemError? {
        unsafe access(path, W_OK) == 0 ? nil : .last
    }

    /// Sets the permissions.
    package static func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe chmod(path, mode) }
    }

    /// Creates a symbolic link.
    package static func makeLink(_ path: String, to target: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe symlink(target, path) }
    }

    /// Whether anything exists at the path, even a link that leads nowhere.
    package static func isTaken(_ path: String) -> Bool { FileStatus(at: path, isLinkFollowed: false) != nil }

    /// Renames a file, which replaces an existing one.
    package static func rename(_ path: String, to newPath: String) throws(SystemError) {
        _ = try SystemError.retrying { renameFile(path, newPath) }
    }

    /// Gives a file a second name.
    package static func link(_ path: String, as newPath: String) throws(SystemError) {
        _ = try SystemError.retrying { linkFile(path, newPath) }
    }

    /// Removes a file, or a link itself.
    package static func remove(_ path: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe unlink(path) }
    }

    /// The path in a link; nil for anything but a link.
    package static func linkTarget(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: pathBytesMax)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// The path with its links and dots resolved; unchanged if nothing exists there.
    package static func resolvedIfThere(_ path: String) -> String { (try? resolved(path)) ?? path }

    /// The path with its links and dots resolved.
    package static func resolved(_ path: String) throws(SystemError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw .last }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

// The C functions, under names that do not clash with the methods above.

private func renameFile(_ path: String, _ newPath: String) -> Int32 { unsafe rename(path, newPath) }
private func linkFile(_ path: String, _ newPath: String) -> Int32 { unsafe link(path, newPath) }
