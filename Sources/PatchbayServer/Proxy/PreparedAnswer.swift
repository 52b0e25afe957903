import HTTPTypes
import PatchbayCore
import Synchronization

/// A stored answer, rewritten once for all clients that use the same server name.
final class PreparedAnswer: Sendable {
    struct Content: Sendable {
        /// The fields that do not change over time.
        let fields: SharedFields
        let body: [UInt8]
    }

    private let latest = Mutex<(name: String, content: Content)?>(nil)

    /// Returns the answer for clients that use a name. Calls `make` if the previous client used another name.
    func content(for name: String, _ make: () -> Content) -> Content {
        if let content = latest.withLock({ $0?.name == name ? $0?.content : nil }) { return content }
        let content = make()
        latest.withLock { $0 = (name, content) }
        return content
    }
}
