/// How often a store looks for commits of other processes, and how it waits in between.
public struct Polling: Sendable {
    public var interval: Duration
    public var sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: the clock; a test gives its own.
    public init(
        interval: Duration = .milliseconds(50),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.interval = interval
        self.sleep = sleep
    }
}

/// Looks at a storage's revision again and again, and tells when it has changed.
///
/// The revision does not say who committed. So a commit of this process makes it tell as well, and so does its first
/// look, because nobody knows what happened before: a notice too many costs a read, one too few shows old rows.
struct RevisionPoll: Sendable {
    let storage: any Storage
    let collections: Set<String>
    let polling: Polling

    /// Runs until its task is cancelled.
    func run(_ tell: (Set<String>) -> Void) async {
        var last: UInt64?, isFirst = true
        while !Task.isCancelled {
            // A storage that cannot be asked has something to tell: whoever reads now sees the error.
            let revision = try? await storage.revision()
            if Task.isCancelled { return }
            if revision != last || isFirst { tell(collections) }
            last = revision
            isFirst = false
            // Throws only when the task is cancelled.
            try? await polling.sleep(polling.interval)
        }
    }
}
