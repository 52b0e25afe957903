import PatchbayCore
import Synchronization

/// Records reported progress.
final class Listener: Sendable {
    private let told = Mutex<[WorkProgress]>([])

    var all: [WorkProgress] { told.withLock { $0 } }
    var tasks: Set<String> { Set(all.map(\.task)) }

    func hear(_ progress: WorkProgress) { told.withLock { $0.append(progress) } }
}
