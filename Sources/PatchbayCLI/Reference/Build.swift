import CCommit
import PatchbayCore

/// What this program was built from: `patchbay 0.1.0 (7a12b62 2026-11-21)`.
///
/// A build that was not told its commit, as one of a package that uses Patchbay, tells the version alone.
struct Build: CustomStringConvertible {
    /// The commit, with `-dirty` behind it when files had been changed; nil when the build was not told.
    let commit: String?
    /// The commit's day, as `2026-11-21`.
    let day: String?

    /// - Parameter commit: the commit and its day, with a space between them, or nothing.
    init(_ commit: String = unsafe String(cString: patchbay_commit())) {
        let words = commit.split(separator: " ").map(String.init)
        self.commit = words.first
        day = words.count == 2 ? words[1] : nil
    }

    var description: String {
        let origin = [commit, day].compactMap(\.self).joined(separator: " ")
        return "patchbay \(PatchbayVersion.current)" + (origin.isEmpty ? "" : " (\(origin))")
    }
}
