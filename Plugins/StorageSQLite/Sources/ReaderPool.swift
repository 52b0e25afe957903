import PatchbayCore
import Synchronization

/// Lends readers. Opens them on demand up to a limit, beyond which callers wait in turn without blocking a
/// thread.
final class ReaderPool: Sendable {
    private struct State {
        /// Nil while the storage is closed.
        var source: Source?
        var idle: [Reader] = []
        /// The number of readers, idle or lent.
        var openCount = 0
        var lastTicket = 0
        /// Callers that wait, in order of arrival. One that is resumed with nil tries again.
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Reader?, any Error>)] = []
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private struct Source {
        var options: ConnectionOptions
        var collections: [CollectionSchema]
        /// The state of the files for the readers that are lent now; nil when they may be written.
        var files: ReadingState?
    }

    private enum Turn { case take(Reader), open(Source), wait }

    private let readersMax: Int
    private let path: String
    private let state = Mutex(State())

    init(readersMax: Int, path: String) {
        self.readersMax = readersMax
        self.path = path
    }

    func open(_ options: ConnectionOptions, _ collections: [CollectionSchema]) {
        state.withLock { $0.source = Source(options: options, collections: collections) }
    }

    /// Returns a reader for exclusive use; ``giveBack(_:)`` must follow.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    func take() async throws -> Reader {
        while true {
            switch try state.withLock({ state in
                try followFiles(&state)
                return try turn(&state)
            }) {
            case .take(let reader): return reader
            case .open(let source): return try open(source)
            case .wait: if let reader = try await wait() { return reader }
            }
        }
    }

    func giveBack(_ reader: Reader) {
        let heir = state.withLock { state -> (CheckedContinuation<Reader?, any Error>, Reader?)? in
            let isCurrent = state.source.map { $0.files == reader.files } ?? false
            if !isCurrent { state.openCount -= 1 }
            if !state.waiting.isEmpty {
                return (state.waiting.removeFirst().continuation, isCurrent ? reader : nil)
            }
            if isCurrent { state.idle.append(reader) }
            return nil
        }
        if let heir { heir.0.resume(returning: heir.1) } else { finishClosing() }
    }

    /// Discards the idle readers of files that are only read, once the files have changed.
    private func followFiles(_ state: inout State) throws {
        guard let source = state.source, source.options.reach != .writing else { return }
        let files = try ReadingState(source.options.path)
        guard files != source.files else { return }
        state.source?.files = files
        state.openCount -= state.idle.count
        state.idle = []
    }

    /// Waits until every reader has been returned, and closes them all.
    func close() async {
        let waiting = state.withLock { state in
            state.source = nil
            state.openCount -= state.idle.count
            state.idle = []
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
        await withCheckedContinuation { continuation in
            state.withLock { $0.closing.append(continuation) }
            finishClosing()
        }
    }

    /// The number of callers that wait for a reader.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func turn(_ state: inout State) throws -> Turn {
        guard let source = state.source else { throw PatchbayError.storageNotOpen(path) }
        if let reader = state.idle.popLast() { return .take(reader) }
        guard state.openCount < readersMax else { return .wait }
        state.openCount += 1
        return .open(source)
    }

    private func open(_ source: Source) throws -> Reader {
        do {
            return try Reader(source.collections, source.options, source.files)
        } catch {
            let next = state.withLock { state in
                state.openCount -= 1
                return state.waiting.isEmpty ? nil : state.waiting.removeFirst().continuation
            }
            next?.resume(returning: nil)
            finishClosing()
            throw error
        }
    }

    private func wait() async throws -> Reader? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enqueue($0, ticket) }
        } onCancel: {
            leave(ticket)
        }
    }

    private func enqueue(_ continuation: CheckedContinuation<Reader?, any Error>, _ ticket: Int) {
        let outcome = state.withLock { state -> Result<Reader?, any Error>? in
            // Needed when `leave` ran before this caller was in the queue.
            if Task.isCancelled { return .failure(CancellationError()) }
            // The state has changed since `turn` looked at it.
            guard state.source != nil, state.openCount >= readersMax else { return .success(nil) }
            if let reader = state.idle.popLast() { return .success(reader) }
            state.waiting.append((ticket, continuation))
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(throwing: CancellationError())
    }

    private func finishClosing() {
        let closing = state.withLock { state in
            guard state.source == nil, state.openCount == 0 else {
                return [CheckedContinuation<Void, Never>]()
            }
            defer { state.closing = [] }
            return state.closing
        }
        for continuation in closing { continuation.resume() }
    }
}
