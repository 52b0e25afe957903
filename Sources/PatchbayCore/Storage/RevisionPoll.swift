/// How often a store checks for commits of other processes, and how it waits between checks.
package struct Polling: Sendable {
    /// The wait between two checks.
    package var interval: Duration
    /// Waits for a duration; throws only when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: the clock; tests supply their own.
    package init(
        interval: Duration = .milliseconds(50),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.interval = interval
        self.sleep = sleep
    }
}

/// Checks a storage's revision repeatedly and reports when it has changed.
///
/// The revision does not identify the process that committed, so commits of this process are reported too. The first
/// check also reports a change, because earlier ones are unknown. An unnecessary notice costs a read; a missing one
/// shows outdated rows.
struct RevisionPoll: Sendable {
    let storage: any Storage
    let collections: Set<String>
    let polling: Polling

    /// Runs until its task is cancelled.
    func run(_ notify: (Set<String>) -> Void) async {
        var last: UInt64?, isFirst = true
        while !Task.isCancelled {
            // A failure is reported as a change, so that observers read and receive the error.
            let revision = try? await storage.revision()
            if Task.isCancelled { return }
            if revision != last || isFirst { notify(collections) }
            last = revision
            isFirst = false
            // Throws only when the task is cancelled.
            try? await polling.sleep(polling.interval)
        }
    }
}
