public import PatchbayCore
import PatchbayDomain
import Synchronization

/// A search while a text is being typed: receives texts and produces answers.
///
///     let session = gateway.searchSession(users)
///     Task { for await text in field.texts { session.type(text) }; session.finish() }
///     for await event in session { show(event) }
///
/// A text is searched when it has stayed unchanged for the debounce time. A new text cancels the search for the
/// previous one, including a request in flight, and no event of the previous text follows. A text that differs
/// from it only in case or outer white space does not start a new search. An empty text sends no request.
///
/// There may be only one consumer. Up to 64 events are buffered for it; beyond that the oldest are dropped.
public final class SearchSession<Item: Sendable>: AsyncSequence, Sendable {
    /// A result of a text.
    public enum Event: Sendable {
        /// The text is empty, so there is nothing to show.
        case cleared
        /// The text cannot be searched.
        case refused(PatchbayError)
        /// An answer to the search for the text, without outer white space: at most one stored answer, then an ending.
        case answered(String, Answer<SearchWindow<Item>>)
    }

    /// The session produces events.
    public typealias Element = Event
    /// The session does not throw; errors of a search are part of its answers.
    public typealias Failure = Never

    /// The number of events buffered for the consumer.
    package static var eventsMax: Int { 64 }

    typealias Search =
        @Sendable (
            _ text: SearchText, _ former: SearchText?
        ) -> Answers<SearchWindow<Item>>

    private let debounce: Duration
    private let clock: LayerClock
    private let search: Search
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let state = Mutex(State())

    init(debounce: Duration, clock: LayerClock, search: @escaping Search) {
        self.debounce = debounce
        self.clock = clock
        self.search = search
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventsMax))
        // In a task of its own to avoid a deadlock: cancelling the consumer holds a lock of its task, for which `send`
        // may wait while it holds ours.
        continuation.onTermination = { [weak self] _ in Task { self?.stop() } }
    }

    /// Creates an iterator over the events. The session has a single consumer, so call it once.
    public func makeAsyncIterator() -> AsyncStream<Event>.Iterator { events.makeAsyncIterator() }

    /// Takes the current text.
    public func type(_ text: String) { take(text, after: debounce) }

    /// Takes a complete text, for example on Return. It is searched at once, even if it was searched before.
    public func submit(_ text: String) { take(text, after: nil) }

    /// Ends the input. The events end when the last text is answered.
    public func finish() {
        let isIdle = state.withLock { state in
            state.isFinished = true
            return state.phase == .idle
        }
        if isIdle { continuation.finish() }
    }

    /// Ends the session at once and cancels the current search.
    public func cancel() {
        stop()
        continuation.finish()
    }

    deinit { cancel() }

    private enum Phase { case idle, waiting, querying }

    private struct State {
        var phase = Phase.idle
        /// Counts the texts; answers to any but the last one are dropped.
        var number = 0
        var text: SearchText?
        /// The text that was answered last.
        var answered: SearchText?
        var task: Task<Void, Never>?
        var isFinished = false

        /// Cancels and forgets the current search.
        mutating func reset() {
            number += 1
            phase = .idle
            text = nil
            task?.cancel()
            task = nil
        }
    }

    private func stop() {
        state.withLock { state in
            state.isFinished = true
            state.reset()
        }
    }

    private func take(_ typed: String, after delay: Duration?) {
        let text = Result { try SearchText(typed) }
        state.withLock { state in
            guard !state.isFinished else { return }
            switch text {
            case .success(let text?): begin(text, after: delay, &state)
            case .success(nil):
                state.reset()
                continuation.yield(.cleared)
            case .failure(let error):
                state.reset()
                continuation.yield(.refused(PatchbayError(wrapping: error)))
            }
        }
    }

    private func begin(_ text: SearchText, after delay: Duration?, _ state: inout State) {
        if state.text == text, delay != nil || state.phase == .querying { return }
        state.reset()
        state.text = text
        state.phase = .waiting
        let number = state.number, former = state.answered
        state.task = Task { [clock, search] in
            if let delay {
                do { try await clock.sleep(delay) } catch { return }
            }
            guard self.move(number, to: .querying) else { return }
            for await answer in search(text, former) { self.send(answer, to: text, number) }
        }
    }

    /// Returns whether the text is still the last one.
    private func move(_ number: Int, to phase: Phase) -> Bool {
        state.withLock { state in
            guard state.number == number else { return false }
            state.phase = phase
            return true
        }
    }

    /// Sends an answer under the lock, so that none of an earlier text follows one of a newer text, and so that a text
    /// counts as answered before its consumer can react to the ending.
    private func send(_ answer: Answer<SearchWindow<Item>>, to text: SearchText, _ number: Int) {
        let isOver = state.withLock { state in
            guard state.number == number else { return false }
            continuation.yield(.answered(text.text, answer))
            guard answer.outcome.isEnding else { return false }
            state.phase = .idle
            state.task = nil
            state.answered = text
            return state.isFinished
        }
        if isOver { continuation.finish() }
    }
}
