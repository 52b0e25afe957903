import Dispatch
import PatchbayCore
import Synchronization

/// Rows between the thread that produces them and the tasks that read them, each row once.
final class RowBuffer: Sendable {
    /// Some rows, and the names of the columns.
    struct Part {
        let columns: [String]
        var rows: [SQLRow] = []
        /// The size of the rows.
        var bytes = 0
    }

    private struct State {
        var columns: [String]?
        /// Whether the reader has the columns.
        var isOpened = false
        var parts: [[SQLRow]] = []
        var bytes = 0
        var end: Result<SQLEnding, any Error>?
        var isAbandoned = false
        /// The readers that wait for columns, rows or the end.
        var readers: [CheckedContinuation<Void, Never>] = []

        mutating func add(_ part: Part) {
            columns = part.columns
            if !part.rows.isEmpty { parts.append(part.rows) }
            bytes += part.bytes
        }
    }

    private let state = Mutex(State())
    /// Signalled when there may be room.
    private let room = DispatchSemaphore(value: 0)
    /// When a statement is too long for the thread of its caller; nil for one with a thread of its own.
    let briefUntil: ContinuousClock.Instant?

    init(briefUntil: ContinuousClock.Instant? = nil) { self.briefUntil = briefUntil }

    /// Why the producer cannot pass on more rows.
    enum Refusal { case abandoned, late }

    // MARK: The producer's side

    /// Whether nothing is read any more.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Whether the statement is running.
    var isOpen: Bool { state.withLock { $0.end == nil } }

    /// Passes rows on, after waiting for room.
    ///
    /// - Returns: nil when they were passed on.
    func push(_ part: Part, until deadline: ContinuousClock.Instant) -> Refusal? {
        while true {
            let isDone: Bool? = change { state in
                if state.isAbandoned { return nil }
                guard state.bytes == 0 || state.bytes + part.bytes <= SQLLimits.waitingBytesMax else {
                    return false
                }
                state.add(part)
                return true
            }
            guard let isDone else { return .abandoned }
            if isDone { return nil }
            let left = deadline - .now
            guard left > .zero else { return .late }
            let milliseconds = Int(min(left.components.seconds, 3_600)) * 1_000 + 50
            // A time-out is noticed above.
            _ = room.wait(timeout: .now() + .milliseconds(milliseconds))
        }
    }

    /// Ends the answer, with the last rows. Readers are resumed once for a short answer.
    func end(_ result: Result<SQLEnding, any Error>, _ rest: Part? = nil) {
        change { state in
            if let rest { state.add(rest) }
            state.end = result
        }
    }

    // MARK: The reader's side

    var ending: SQLEnding? {
        state.withLock { state in
            guard state.parts.isEmpty, case .success(let ending)? = state.end else { return nil }
            return ending
        }
    }

    /// Waits for the names of the columns.
    func opened() async throws -> [String] {
        while true {
            let columns = try state.withLock { state in
                if state.columns == nil, case .failure(let error)? = state.end { throw error }
                state.isOpened = state.columns != nil
                return state.columns
            }
            if let columns { return columns }
            try await wait()
        }
    }

    /// Waits for rows; nil at the end.
    func next() async throws -> [SQLRow]? {
        while true {
            let (rows, isEnd) = try state.withLock { state -> ([SQLRow]?, Bool) in
                if !state.parts.isEmpty {
                    let rows = state.parts.removeFirst()
                    state.bytes = state.parts.isEmpty ? 0 : state.bytes - rows.reduce(0) { $0 + $1.byteCount }
                    return (rows, false)
                }
                if case .failure(let error)? = state.end { throw error }
                return (nil, state.end != nil)
            }
            if let rows {
                room.signal()
                return rows
            }
            if isEnd { return nil }
            try await wait()
        }
    }

    /// Ends the statement.
    func abandon() {
        change { $0.isAbandoned = true }
        room.signal()
    }

    private func wait() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    let hasNews = state.columns != nil && !state.isOpened || !state.parts.isEmpty
                    if hasNews || state.end != nil || state.isAbandoned { return true }
                    state.readers.append(continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            abandon()
        }
        try Task.checkCancellation()
    }

    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, readers) = state.withLock { state in
            let result = body(&state)
            defer { state.readers = [] }
            return (result, state.readers)
        }
        for reader in readers { reader.resume() }
        return result
    }
}

extension SQLRow {
    var byteCount: Int { values.reduce(16) { $0 + $1.byteCount } }
}
