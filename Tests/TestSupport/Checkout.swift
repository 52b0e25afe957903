public import Foundation

/// The checkout that the tests were built from.
public enum Checkout {
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    public static func path(_ path: String) -> String { root.appendingPathComponent(path).path }

    /// The folder with recordings of real exchanges, which the project does not hold: `PATCHBAY_SHARED`, else
    /// `../shared` beside the checkout. Nil when there is none; tests that need it say so and skip.
    public static var sharedRecordings: String? {
        let shared = ProcessInfo.processInfo.environment["PATCHBAY_SHARED"] ?? path("../shared")
        let folder = URL(fileURLWithPath: shared).appendingPathComponent("recordings").standardizedFileURL.path
        return FileManager.default.fileExists(atPath: folder) ? folder : nil
    }
}
