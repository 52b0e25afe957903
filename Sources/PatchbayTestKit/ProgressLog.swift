package import PatchbayCore
import Synchronization

/// Records the progress that an operation reports.
package final class ProgressLog: Sendable {
    private let reports = Mutex<[WorkProgress]>([])

    package init() {}

    package var all: [WorkProgress] { reports.withLock { $0 } }
    package var tasks: Set<String> { Set(all.map(\.task)) }

    package func append(_ progress: WorkProgress) { reports.withLock { $0.append(progress) } }
}
