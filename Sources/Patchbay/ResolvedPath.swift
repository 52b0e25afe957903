import PatchbaySystem

/// Resolves links and dots in paths.
enum ResolvedPath {
    /// The resolved path of an existing file or folder; nil when it does not exist or cannot be examined.
    static func existing(_ path: String) -> String? { try? FileSystem.resolved(path) }

    /// The target of an absolute path, whose last parts need not exist yet; nil when it cannot be determined: after a
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
        // What cannot be examined may be a link.
        let isFree = (try? FileStatus.of(next, isLinkFollowed: false) == nil) ?? false
        guard isFree, !rest.contains("..") else { return nil }
        return next + rest.dropFirst().filter { $0 != "." }.map { "/" + $0 }.joined()
    }
}
