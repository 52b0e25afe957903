#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What lies in folders, and its removal.
public enum Folder {
    /// The names in a folder, hidden ones too, in the order of their bytes; without `.` and `..`.
    ///
    /// - Returns: nil when the folder cannot be read; `errno` says why.
    public static func names(in path: String) -> [String]? {
        guard let stream = unsafe opendir(path) else { return nil }
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

    /// Whether a path names a folder; a link to one is none.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes a file, a link itself, or a folder with all that lies in it. What cannot be removed stays.
    public static func removeAll(_ path: String) {
        guard isFolder(path) else {
            _ = unsafe unlink(path)
            return
        }
        for name in names(in: path) ?? [] { removeAll("\(path)/\(name)") }
        _ = unsafe rmdir(path)
    }
}
