public import Foundation

/// The checkout from which the tests were built.
public enum Checkout {
    /// The folder of the checkout.
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the full path of a file in the checkout.
    public static func path(_ path: String) -> String { root.appendingPathComponent(path).path }

    /// Returns the text of a golden file in the checkout. With `PATCHBAY_UPDATE` in the environment, the file is
    /// replaced by `text` first.
    public static func golden(_ path: String, for text: String) throws -> String {
        let file = root.appendingPathComponent(path)
        if ProcessInfo.processInfo.environment["PATCHBAY_UPDATE"] != nil {
            try Data(text.utf8).write(to: file)
        }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The folder with recordings of real exchanges, which are not part of the project: `PATCHBAY_SHARED`, otherwise
    /// `../shared` next to the checkout. Nil when it does not exist; tests that need it are skipped with a message.
    public static var sharedRecordings: String? {
        let shared = ProcessInfo.processInfo.environment["PATCHBAY_SHARED"] ?? path("../shared")
        let folder = URL(fileURLWithPath: shared).appendingPathComponent("recordings").standardizedFileURL
            .path
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }
}
