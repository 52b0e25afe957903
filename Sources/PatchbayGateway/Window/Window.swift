public import PatchbayCore

/// A bounded stretch of a list of any length: at most so many items are kept, however far it moves.
///
///     let window = gateway.usersWindow(size: 60)
///     var state = await window.jump(to: .start)
///     while state.hasLater { state = await window.next() }
///
/// ``next(_:)`` takes what is stored and asks the source only when nothing is; ``previous(_:)`` never asks it. A window
/// follows the rows it shows: an edit, a deletion, an insertion or a clear by this process or another changes
/// ``states()``. A failure is part of the state, so what is shown stays; the next call tries again.
///
/// Calls may overlap. While the source is being asked, another ``next(_:)`` returns at once; a jump or a step back
/// leaves the question alone, and its answer is stored but moves the window no more.
public actor Window<List: WindowList> {
    /// What the window shows at one moment.
    public typealias State = WindowState<List.Item, List.Position>
    /// Where a window may go.
    public typealias Place = WindowPlace<List.Position>

    private let store: Store
    private let list: List
    private var content: WindowContent<List>
    /// Counts what changed the content, so that a read that was overtaken is read again.
    private var version = 0
    /// Counts the moves that were asked for.
    private var moves = 0
    /// The move that waits for the source.
    private var fetchingMove: Int?
    private var error: PatchbayError?
    private var number = 0
    private var observers: [Int: AsyncStream<State>.Continuation] = [:]
    private var nextObserver = 0
    private var listening: Task<Void, Never>?

    /// - Parameters:
    ///   - size: how many items, 1 to 10,000 (`Limits.pageRows`).
    ///   - wraps: whether the end of the list leads to its start, once all of it is stored.
    public init(over list: List, in store: Store, size: Int, wraps: Bool = false) {
        Self.check(size)
        self.store = store
        self.list = list
        content = WindowContent(list: list, wraps: wraps, size: size)
    }

    deinit {
        listening?.cancel()
        for observer in observers.values { observer.finish() }
    }

    /// What is shown now; nothing before the first move.
    public var state: State {
        State(
            items: content.items, size: content.size, hasEarlier: content.hasEarlier,
            hasLater: content.isRing ? content.hasEarlier : hasLater, start: content.start, end: content.end,
            gaps: content.gaps, list: listState, error: error, number: number)
    }

    /// The states from now on, the present one first.
    ///
    /// A slow observer sees fewer, the newest always; nothing waits in memory but one. It ends with the window.
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

    /// Moves behind the last item: takes so many of what follows in, and lets go of as many at the start.
    ///
    /// - Parameter count: how many items at most, at least 1; nil is as many as the window holds.
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

    /// Moves before the first item, over what is stored; lets go of as many at the end. Never asks the source.
    ///
    /// - Parameter count: as of ``next(_:)``.
    @discardableResult
    public func previous(_ count: Int? = nil) async -> State {
        let count = checked(count)
        begin()
        await change { try $0.earlier(by: count, in: $1) }
        return state
    }

    /// Moves to a place anywhere in the list; asks the source when nothing is stored there. Until it has answered, and
    /// when it cannot, the window shows what it showed before.
    @discardableResult
    public func jump(to place: Place) async -> State {
        let move = begin()
        await change { try $0.jumped(to: place, in: $1) }
        guard content.awaitsSource, error == nil, move == moves else { return state }
        await fetch(place, move) { try $0.arrived(at: place, afterFailure: $2, in: $1) }
        return state
    }

    /// Moves to a fraction of what is stored: 0 is its first item, 1 its last.
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

    /// Moves to the last items that are stored. Never asks the source.
    @discardableResult
    public func jumpToEnd() async -> State {
        begin()
        await change { try $0.movedToEnd(in: $1) }
        return state
    }

    /// Shows more or fewer items, from the same start where that is possible. Never asks the source.
    @discardableResult
    public func resize(to size: Int) async -> State {
        Self.check(size)
        begin()
        await change { try $0.resized(to: size, in: $1) }
        return state
    }
}

extension Window {
    private static func check(_ size: Int) {
        precondition((1...Limits.pageRows).contains(size), "a window has 1 to \(Limits.pageRows) items")
    }

    private func checked(_ count: Int?) -> Int {
        precondition((1...Limits.pageRows).contains(count ?? 1), "a step has 1 to \(Limits.pageRows) items")
        return count ?? content.size
    }

    private var needsSource: Bool { content.behind == .unfetched && list.asksSource && error == nil }

    private var hasLater: Bool {
        switch content.behind {
        case .stored: true
        case .unfetched: list.asksSource
        case .limit, .end: false
        }
    }

    private var listState: ListState {
        if fetchingMove == moves { return .fetching }
        if let error { return .failed(retryAt: error.retryAt) }
        return switch content.behind {
        case .stored, .unfetched: .more
        case .limit(let maximum): .limitReached(maximum)
        case .end: .endOfSource
        }
    }

    /// Notes that somebody moves the window; what was asked for earlier moves it no more.
    @discardableResult
    private func begin() -> Int {
        listen()
        moves += 1
        error = nil
        return moves
    }

    /// Reads another content, once more when the window has changed meanwhile, and tells of it.
    private func change(
        _ step: @escaping @Sendable (WindowContent<List>, borrowing Reading) throws -> WindowContent<List>
    ) async {
        let move = moves
        while true {
            let seen = version, old = content
            do {
                let new = try await store.read { try step(old, $0) }
                // What was asked for later has moved the window already.
                guard move == moves else { return }
                guard seen == version else { continue }
                content = new
                if !new.isSame(as: old) {
                    version += 1
                    tell()
                }
            } catch {
                guard move == moves else { return }
                self.error = PatchbayError(wrapping: error)
                tell()
            }
            return
        }
    }

    /// Asks the source, then moves. After a failure the step may cross gaps, so that what is stored can be reached.
    private func fetch(
        _ place: Place, _ move: Int,
        _ step:
            @escaping @Sendable (
                WindowContent<List>, borrowing Reading, _ hasFailed: Bool
            ) throws -> WindowContent<List>
    ) async {
        fetchingMove = move
        tell()
        var failure: PatchbayError?
        do {
            try await list.fetch(place)
        } catch is CancellationError {
            // Whoever asked has gone; the window stays where it is.
        } catch {
            failure = PatchbayError(wrapping: error)
        }
        guard move == moves else { return }
        fetchingMove = nil
        error = failure
        let hasFailed = failure != nil
        await change { try step($0, $1, hasFailed) }
        tell()
    }

    private func tell() {
        number += 1
        let state = state
        for observer in observers.values { observer.yield(state) }
    }

    private func forget(_ number: Int) { observers[number] = nil }

    /// Follows the rows that are shown from now on.
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

    /// Reads the window again; so does whoever reads at this moment, for the change may have come in between.
    func reread() async {
        version += 1
        await change { try $0.reread(in: $1) }
    }
}
