import FoundationEssentials

/// A new, empty folder that is removed with its last reference.
///
/// The snippets have no access to declarations of the package, so that they compile only if a program outside it can be
/// written in the same way.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
