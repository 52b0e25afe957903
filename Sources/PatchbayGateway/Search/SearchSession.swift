public import PatchbayCore
public import PatchbayDomain
import Synchronization

/// A search while somebody is typing: fed with texts, it gives answers.
///
///     let session = gateway.searchUsers.session()
///     Task { for await text in field.texts { session.type(text) }; session.finish() }
///     for await event in session { show(event) }
///
/// A text is searched when it has stayed for the debounce time. The last one wins: whatever was begun for an earlier
/// one is cancelled, a request in flight included, and no event of it comes after the new text. A text that is the
/// same by its normal form (`SearchText`) begins nothing anew. An empty text asks nothing.
///
/// One consumer. It may lag behind by ``eventsMax`` events; then the oldest are dropped.
public final class SearchSession<Item: Sendable>: AsyncSequence, Sendable {
    /// What comes of a text.
    public enum Event: Sendable {
        /// The text is empty: there is nothing to show.
        case cleared
        /// The text cannot be searched.
        case refused(PatchbayError)
        /// What a search answers: one that is stored, then an ending.
        case answered(SearchText, Answer<SearchWindow<Item>>)
    }

    public typealias Element = Event
    public typealias Failure = Never

    /// How many events wait for the consumer.
    public static var eventsMax: Int { 64 }

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
        // Later: who cancels the consumer holds a lock of its task, for which `tell` may wait under ours.
        continuation.onTermination = { [weak self] _ in Task { self?.stop() } }
    }

    public func makeAsyncIterator() -> AsyncStream<Event>.Iterator { events.makeAsyncIterator() }

    /// Takes the text as it stands now.
    public func type(_ text: String) { take(text, after: debounce) }

    /// Takes a text that is complete, as by Return: it is searched at once, even if it was before.
    public func submit(_ text: String) { take(text, after: nil) }

    /// Takes no more texts. The events end when the last text is answered.
    public func finish() {
        let isIdle = state.withLock { state in
            state.isFinished = true
            return state.phase == .idle
        }
        if isIdle { continuation.finish() }
    }

    /// Ends the session at once; what is being searched is cancelled.
    public func cancel() {
        stop()
        continuation.finish()
    }

    deinit { cancel() }
}

extension SearchSession {
    private enum Phase { case idle, waiting, asking }

    private struct State {
        var phase = Phase.idle
        /// Counts the texts; an answer to another text than the last one is nobody's.
        var number = 0
        var text: SearchText?
        /// The text that was answered last.
        var answered: SearchText?
        var task: Task<Void, Never>?
        var isFinished = false

        /// Forgets what was begun.
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
        if state.text == text, delay != nil || state.phase == .asking { return }
        state.reset()
        state.text = text
        state.phase = .waiting
        let number = state.number, former = state.answered
        state.task = Task { [clock, search] in
            if let delay {
                do { try await clock.sleep(delay) } catch { return }
            }
            guard self.move(number, to: .asking) else { return }
            for await answer in search(text, former) { self.tell(.answered(text, answer), of: number) }
            self.end(number, text)
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

    /// Told under the lock, so that nothing of an earlier text comes behind a newer one.
    private func tell(_ event: Event, of number: Int) {
        state.withLock { state in
            if state.number == number { _ = continuation.yield(event) }
        }
    }

    private func end(_ number: Int, _ text: SearchText) {
        let isOver = state.withLock { state in
            guard state.number == number else { return false }
            state.phase = .idle
            state.task = nil
            state.answered = text
            return state.isFinished
        }
        if isOver { continuation.finish() }
    }
}
