import HTTPTypes
import PatchbayCore
import Synchronization

/// A stored answer as it is sent: rewritten once for all clients that use the same server name, with an age that is
/// written once a second.
final class PreparedAnswer: Sendable {
    struct Content: Sendable {
        /// The fields that do not change over time.
        let fields: SharedFields
        let body: [UInt8]
    }

    private let latest = Mutex<(rewriting: AddressRewriting, content: Content)?>(nil)
    private let latestAge = Mutex<(age: Int, status: CacheStatus, fields: SharedFields)?>(nil)

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

    /// Returns the fields that change over time.
    func fields(age: Int, _ status: CacheStatus) -> SharedFields {
        latestAge.withLock { latest in
            if let latest, latest.age == age, latest.status == status { return latest.fields }
            let fields = SharedFields([.age: String(age), .cacheStatus: status.text])
            latest = (age, status, fields)
            return fields
        }
    }
}
