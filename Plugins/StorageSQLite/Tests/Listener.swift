import PatchbayCore
import Synchronization

/// Keeps what long work tells.
final class Listener: Sendable {
    private let told = Mutex<[Progress]>([])

    var all: [Progress] { told.withLock { $0 } }
    var tasks: Set<String> { Set(all.map(\.task)) }

    func hear(_ progress: Progress) { told.withLock { $0.append(progress) } }
}
