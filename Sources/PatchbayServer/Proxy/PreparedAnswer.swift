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

    private let latest = Mutex<(rewriting: AddressRewriting, content: Content)?>(nil)

    /// Returns the answer with rewritten addresses. Calls `make` if those for the previous client were rewritten in
    /// another way.
    func content(for rewriting: AddressRewriting, _ make: () -> Content) -> Content {
        if let content = latest.withLock({ $0?.rewriting == rewriting ? $0?.content : nil }) {
            return content
        }
        let content = make()
        latest.withLock { $0 = (rewriting, content) }
        return content
    }
}
