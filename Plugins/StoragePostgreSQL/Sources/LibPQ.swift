import CPostgreSQL
import PatchbayCore

/// PostgreSQL's client library. It is loaded when a storage is opened, so a program with this plugin also starts on a
/// machine without the library.
enum LibPQ {
    /// - Throws: `unsupported` when the machine has no libpq, or one that is too old.
    static func load() throws(PatchbayError) {
        guard let problem = unsafe pq_load() else { return }
        throw PatchbayError(
            .unsupported,
            "the storage postgres needs PostgreSQL's client library, libpq 14 or newer; install the package libpq5",
            [.note("libpq.so.5", unsafe String(cString: problem))])
    }

    /// Formats a version number like libpq: 150020 is 15.20.
    static func text(ofVersion number: Int32) -> String { "\(number / 10_000).\(number % 10_000)" }
}
