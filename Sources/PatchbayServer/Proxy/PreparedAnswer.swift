import HTTPTypes
import Synchronization

/// A stored answer as the clients that call the server by one name get it, so that it is rewritten once for
/// all of them.
final class PreparedAnswer: Sendable {
    struct Content: Sendable {
        /// Without what changes with the time.
        let fields: HTTPFields
        let body: [UInt8]
    }

    private let latest = Mutex<(name: String, content: Content)?>(nil)

    /// The answer for clients that use a name; `make` makes it when the last ones used another.
    func content(for name: String, _ make: () -> Content) -> Content {
        if let content = latest.withLock({ $0?.name == name ? $0?.content : nil }) { return content }
        let content = make()
        latest.withLock { $0 = (name, content) }
        return content
    }
}
