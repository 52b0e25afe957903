import PatchbayCore

/// A stretch of a list of any length. However far it moves, it keeps at most `size` items in memory. The items are
/// those of a list (``ListedItem`` at a ``ListPosition``) or favourites (`Favourite` at a ``FavouritePosition``).
///
///     let question = try gateway.question(gateway.resource("users"))
///     let window = gateway.window(question, size: 60)
///     var state = await window.jump(to: .start)
///     while state.hasLater { state = await window.next() }
///
/// ``next(_:)`` shows stored rows and queries the source only when there are none; ``previous(_:)`` never does. A
/// window follows the rows that it shows: an edit, a deletion, an insertion or a clear by this process or another adds
/// to ``states()``. A failure is part of the state, so the items stay visible; the next call tries again.
///
/// Calls may overlap. While the source is being queried, another ``next(_:)`` returns at once. A jump or a step back
/// does not cancel the request; its answer is stored but no longer moves the window.
public actor Window<Item: Hashable & Sendable, Position: Comparable & Hashable & Sendable> {
    /// The state of the window at one moment.
    public typealias State = WindowState<Item, Position>
    /// A place to which the window can move.
    public typealias Place = WindowPlace<Position>
    private typealias Content = WindowContent<Item, Position>

    private let store: Store
    private let list: any WindowList<Item, Position>
    private var content: Content
    /// Counts changes of the content, so that an outdated read is repeated.
    private var version = 0
    /// Counts the requested moves.
    private var moves = 0
    /// The move that is waiting for the source.
    private var fetchingMove: Int?
    private var error: PatchbayError?
    private var number = 0
    private var observers: [Int: AsyncStream<State>.Continuation] = [:]
    private var nextObserver = 0
    private var listening: Task<Void, Never>?

    /// - Parameters:
    ///   - size: the greatest number of items, 1 to 10,000 (`Limits.pageRows`).
    ///   - wraps: whether the start of the list follows its end, once all of it is stored.
    init(over list: any WindowList<Item, Position>, in store: Store, size: Int, wraps: Bool) {
        Self.check(size)
        self.store = store
        self.list = list
        content = WindowContent(list: list, wraps: wraps, size: size)
    }

    deinit {
        listening?.cancel()
        for observer in observers.values { observer.finish() }
    }

    /// The current state; empty before the first move.
    public var state: State {
        State(
            items: content.items, size: content.size, hasEarlier: content.hasEarlier,
            hasLater: content.isRing ? content.hasEarlier : hasLater, isRing: content.isRing,
            start: content.start, end: content.end, gaps: content.gaps, list: listState, error: error,
            number: number)
    }

    /// The states from now on, beginning with the current one.
    ///
    /// A slow observer skips states but always receives the newest, because only one is buffered. The stream ends with
    /// the window.
    public func states() -> AsyncStream<State> {
        listen()
        let (stream, observer) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        nextObserver += 1
        let number = nextObserver
        observers[number] = observer
        observer.onTermination = { [weak self] _ in Task { [weak self] in await self?.forget(number) } }
        observer.yield(state)
        return stream
    }

    /// Moves forward: adds items after the last one, and drops as many at the start if the window is full.
    ///
    /// - Parameter count: the greatest number of items to add, at least 1; nil for the size of the window.
    @discardableResult
    public func next(_ count: Int? = nil) async -> State {
        let count = checked(count)
        guard fetchingMove != moves else { return state }
        let move = begin()
        let end = content.rest
        await change { try $0.later(by: count, in: $1) }
        guard content.rest == end, needsSource, move == moves else { return state }
        await fetch(content.rest, move) { try $0.later(by: count, acrossGaps: $2, in: $1) }
        return state
    }

    /// Moves backward over stored rows: adds items before the first one, and drops those beyond the size at the end.
    /// Never queries the source.
    ///
    /// - Parameter count: as in ``next(_:)``.
    @discardableResult
    public func previous(_ count: Int? = nil) async -> State {
        let count = checked(count)
        begin()
        await change { try $0.earlier(by: count, in: $1) }
        return state
    }

    /// Moves to any place in the list; queries the source when nothing is stored there. The window keeps its items
    /// until the source has answered, and when it fails.
    @discardableResult
    public func jump(to place: Place) async -> State {
        let move = begin()
        await change { try $0.jumped(to: place, in: $1) }
        guard content.awaitsSource, error == nil, move == moves else { return state }
        await fetch(place, move) { try $0.arrived(at: place, afterFailure: $2, in: $1) }
        return state
    }

    /// Moves to a fraction of the stored items: 0 is the first, 1 the last.
    @discardableResult
    public func jump(toFraction fraction: Double) async -> State {
        precondition((0...1).contains(fraction), "a fraction is from 0 to 1")
        begin()
        await change { content, reading in
            let position = try content.list.position(at: fraction, in: reading)
            return try content.moved(
                to: position.map { .at($0) } ?? .start, acrossGaps: true, in: reading)
        }
        return state
    }

    /// Moves to the last stored items. Never queries the source.
    @discardableResult
    public func jumpToEnd() async -> State {
        begin()
        await change { try $0.movedToEnd(in: $1) }
        return state
    }

    /// Shows more or fewer items, from the same start if possible. Never queries the source.
    @discardableResult
    public func resize(to size: Int) async -> State {
        Self.check(size)
        begin()
        await change { try $0.resized(to: size, in: $1) }
        return state
    }

    private static func check(_ size: Int) {
        precondition((1...Limits.pageRows).contains(size), "a window has 1 to \(Limits.pageRows) items")
    }

    private func checked(_ count: Int?) -> Int {
        precondition((1...Limits.pageRows).contains(count ?? 1), "a step has 1 to \(Limits.pageRows) items")
        return count ?? content.size
    }

    private var needsSource: Bool { content.following == .unfetched && list.queriesSource && error == nil }

    private var hasLater: Bool {
        switch content.following {
        case .stored: true
        case .unfetched: list.queriesSource
        case .limit, .end: false
        }
    }

    private var listState: ListState {
        if fetchingMove == moves { return .fetching }
        if let error { return .failed(retryAt: error.retryAt) }
        return switch content.following {
        case .stored, .unfetched: .more
        case .limit(let maximum): .limitReached(maximum)
        case .end: .endOfSource
        }
    }

    /// Begins a move, so that answers to earlier moves no longer move the window.
    @discardableResult
    private func begin() -> Int {
        listen()
        moves += 1
        error = nil
        return moves
    }

    /// Reads the content after a step, again if the window has changed meanwhile, and notifies the observers.
    private func change(
        _ step: @escaping @Sendable (Content, borrowing Reading) throws -> Content
    ) async {
        let move = moves
        while true {
            let seen = version, old = content
            do {
                let new = try await store.read { try step(old, $0) }
                // A later move has taken over.
                guard move == moves else { return }
                guard seen == version else { continue }
                content = new
                if !new.isSame(as: old) {
                    version += 1
                    notify()
                }
            } catch {
                guard move == moves else { return }
                self.error = PatchbayError(wrapping: error)
                notify()
            }
            return
        }
    }

    /// Queries the source, then moves. After a failure the step may cross gaps, so that stored rows after them can be
    /// reached.
    private func fetch(
        _ place: Place, _ move: Int,
        _ step: @escaping @Sendable (Content, borrowing Reading, _ hasFailed: Bool) throws -> Content
    ) async {
        fetchingMove = move
        notify()
        var failure: PatchbayError?
        do {
            try await list.fetch(place)
        } catch is CancellationError {
            // The caller was cancelled; the window stays where it is.
        } catch {
            failure = PatchbayError(wrapping: error)
        }
        guard move == moves else { return }
        fetchingMove = nil
        error = failure
        let hasFailed = failure != nil
        await change { try step($0, $1, hasFailed) }
        notify()
    }

    private func notify() {
        number += 1
        let state = state
        for observer in observers.values { observer.yield(state) }
    }

    private func forget(_ number: Int) { observers[number] = nil }

    /// Starts following changes of the shown rows.
    private func listen() {
        guard listening == nil else { return }
        let notices = store.changes.stream()
        let collections = list.collections
        listening = Task { [weak self] in
            for await changed in notices where !changed.isDisjoint(with: collections) {
                guard let self else { return }
                await self.reread()
            }
        }
    }

    /// Reads the window again. A concurrent read is repeated as well, because the change may have happened during it.
    func reread() async {
        version += 1
        await change { try $0.reread(in: $1) }
    }
}
