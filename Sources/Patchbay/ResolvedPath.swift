#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Paths without links and dots.
enum ResolvedPath {
    /// The path of something that exists; nil when it does not, or cannot be examined.
    static func existing(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// What an absolute path leads to, where the end of it need not exist yet; nil when that cannot be said: after a
    /// link to nothing, or `..` after a folder that does not exist.
    static func target(_ path: String) -> String? {
        var resolved = "/"
        var rest = path.split(separator: "/").map(String.init)[...]
        while let name = rest.first {
            let next = resolved == "/" ? "/" + name : resolved + "/" + name
            guard let existing = existing(next) else { break }
            resolved = existing
            rest = rest.dropFirst()
        }
        guard let missing = rest.first else { return resolved }
        let next = resolved == "/" ? "/" + missing : resolved + "/" + missing
        var status = stat()
        guard unsafe lstat(next, &status) != 0, errno == ENOENT, !rest.contains("..") else { return nil }
        return next + rest.dropFirst().filter { $0 != "." }.map { "/" + $0 }.joined()
    }
}
