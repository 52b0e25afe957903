import PatchbayCore
public import PatchbayDomain

/// The list that belongs to a row, such as its newest children.
typealias ChildAnswers = @Sendable (_ parent: Item, _ policy: Policy) -> Answers<ItemList>

/// The children of the visible rows, fetched a few at a time.
///
///     let children = try gateway.visibleChildren(commits)
///     await children.show(window.state.items.map(\.item))
///     for await arrival in children.arrivals { ... }
///
/// Each row that becomes visible arrives once. Stored children are used while their parent has not changed since they
/// were fetched (`NAME.changed` in the definition). The source receives at most `Source.concurrency` requests at the
/// same time. When the window moves, requests for rows that left it are cancelled or not sent, and these rows do not
/// arrive. At most one arrival per visible row is buffered.
public actor VisibleChildren {
    /// The children of one row.
    public struct Arrival: Sendable {
        /// The visible row that the children belong to, as it was passed to ``VisibleChildren/show(_:)``.
        public let parent: Item
        /// The outcome is an ending; `localOnly` when the stored children were used.
        public let answer: Answer<ItemList>
    }

    /// The greatest number of visible rows.
    package static let visibleMax = 1_000

    /// The field of a parent that contains the time when its children last changed.
    private let changedAt: String?
    private let policy: Policy
    private let width: Int
    private let answers: ChildAnswers
    private var visible: Set<Key> = []
    private var waiting: [Item] = []
    private var running: [Key: Task<Void, Never>] = [:]
    private var arrived: [Arrival] = []
    private var observers: [CheckedContinuation<Void, Never>] = []
    private var isClosed = false

    /// - Parameters:
    ///   - policy: with `localFirst` stored children are used while the parent has not changed since; `remoteFirst` and
    ///     `refresh` send a request for every row, `localOnly` for none.
    ///   - width: the number of requests at a time.
    init(
        of resource: Resource, _ policy: Policy, atMost width: Int, _ answers: @escaping ChildAnswers
    ) {
        changedAt = resource.declaration.changedAt
        self.policy = policy
        self.width = width
        self.answers = answers
    }

    deinit { for task in running.values { task.cancel() } }

    /// Moves the window: these rows are visible now, and no others. The first ones are fetched first.
    public func show(_ parents: [Item]) {
        precondition(parents.count <= Self.visibleMax, "at most \(Self.visibleMax) are visible")
        guard !isClosed else { return }
        let before = visible
        visible = Set(parents.map(\.key))
        waiting.removeAll { !visible.contains($0.key) }
        arrived.removeAll { !visible.contains($0.parent.key) }
        for (key, task) in running where !visible.contains(key) { task.cancel() }
        var seen = before.union(running.keys)
        waiting += parents.filter { seen.insert($0.key).inserted }
        begin()
    }

    /// The arrivals in order, until ``close()`` or until the observing task is cancelled. Each arrival goes to one
    /// observer.
    public nonisolated var arrivals: AsyncStream<Arrival> {
        AsyncStream { await self.next() }
    }

    /// Cancels the requests and ends the arrivals.
    public func close() {
        isClosed = true
        (visible, waiting, arrived) = ([], [], [])
        for task in running.values { task.cancel() }
        wake()
    }

    private func next() async -> Arrival? {
        while arrived.isEmpty {
            guard !isClosed, !Task.isCancelled else { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { observers.append($0) }
            } onCancel: {
                // Runs after the observer was appended, because the observer holds the actor until it waits.
                Task { await self.wake() }
            }
        }
        return arrived.removeFirst()
    }

    private func wake() {
        for observer in observers { observer.resume() }
        observers = []
    }

    private func begin() {
        while running.count < width, !waiting.isEmpty {
            let parent = waiting.removeFirst()
            running[parent.key] = Task { [weak self, answers, changedAt, policy] in
                let answer = await answers(parent, policy).current(changedAt: changedAt, in: parent)
                await self?.end(Arrival(parent: parent, answer: answer))
            }
        }
    }

    private func end(_ arrival: Arrival) {
        let key = arrival.parent.key
        let isCancelled = running.removeValue(forKey: key)?.isCancelled ?? true
        if visible.contains(key) {
            // If its request was cancelled, the row left the window and came back before the request had ended.
            if isCancelled { waiting.insert(arrival.parent, at: 0) } else { arrived.append(arrival) }
        }
        begin()
        wake()
    }
}

extension Gateway {
    /// Returns the children of the visible rows.
    ///
    /// - Parameters:
    ///   - resource: the resource of the children.
    ///   - limit: the number of children of each row, 1 to 10,000 (`Limits.pageRows`).
    ///   - policy: with `localFirst` stored children are used while their parent has not changed since; `remoteFirst`
    ///     and `refresh` send a request for every row, `localOnly` for none.
    /// - Throws: `unsupported` for a resource whose lists do not belong to rows of another one.
    public func visibleChildren(
        _ resource: Resource, limit: Int = 10, policy: Policy = .localFirst
    ) throws -> VisibleChildren {
        let parent = try requireParent(of: resource, list: nil)
        return VisibleChildren(of: resource, policy, atMost: source.concurrency) { row, policy in
            let question = NamedQuestion(
                resource: resource, list: nil, parent: .init(resource: parent, handle: row.handle),
                arguments: [], after: 0)
            return list(question, limit: limit, policy: policy)
        }
    }
}

extension Answers<ItemList> {
    /// The stored list when it is complete and its parent has not changed since it was fetched; otherwise the source's
    /// answer.
    fileprivate func current(changedAt: String?, in parent: Item) async -> Answer<ItemList> {
        guard steps.policy == .localFirst else { return await ending }
        do {
            let stored = try await steps.store.read(steps.stored)
            if let list = stored.value, list.isWhole, let fetchedAt = stored.fetchedAt,
                changedAt.flatMap(parent.time).map({ $0.isBefore(fetchedAt) }) ?? true
            {
                return stored.answer(.localOnly, at: steps.now(), steps.served)
            }
        } catch {
            return Answer(value: nil, age: nil, outcome: .failed(PatchbayError(wrapping: error)))
        }
        return await ending
    }
}

extension Timestamp {
    /// Whether a time of the source is before one of this machine, whose clock may differ by minutes. A date may mean
    /// any time of its day.
    fileprivate func isBefore(_ time: Timestamp) -> Bool {
        advanced(by: isMidnight ? .seconds(86_400) : .seconds(300)) < time
    }
}

extension Item {
    fileprivate func time(_ name: String) -> Timestamp? {
        guard case .time(let time) = self[name] else { return nil }
        return time
    }
}
