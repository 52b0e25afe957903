import CCommit
import PatchbayCore

/// The version of this program and the commit that it was built from: `patchbay 0.1.0 (7a12b62 2026-11-21)`.
///
/// If the commit is unknown, as when another package builds Patchbay, only the version is shown.
struct Build: CustomStringConvertible {
    /// The commit, with `-dirty` appended if files had been changed; nil if it is unknown.
    let commit: String?
    /// The commit's day, such as `2026-11-21`.
    let day: String?
    /// The version of Swift that built the program, such as `6.3.1`.
    let toolchain: String?

    /// - Parameter origin: the commit, its day and the version of Swift, separated by spaces, as far as they are known.
    init(_ origin: String = unsafe String(cString: patchbay_commit())) {
        let words = origin.split(separator: " ").map(String.init)
        commit = words.first
        day = words.count > 1 ? words[1] : nil
        toolchain = words.count > 2 ? words[2] : nil
    }

    var description: String {
        let origin = [commit, day].compactMap(\.self).joined(separator: " ")
        return "patchbay \(PatchbayVersion.current)" + (origin.isEmpty ? "" : " (\(origin))")
    }
}
