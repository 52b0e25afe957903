import Synchronization

/// The error for a caller that does not wait any longer for a storage, because it can continue without it.
package struct StorageDelay: Error {}

/// Limits the waits of callers that can continue without a storage.
///
/// A caller waits for 50 ms, or longer if the storage usually takes longer, up to half a second. Its work then
/// continues without it, and until that work has ended, the storage is late: other callers do not ask it at all.
package final class Promptness: Sendable {
    private static let patienceMin = Duration.milliseconds(50)
    private static let patienceMax = Duration.milliseconds(500)
    /// The time for which a storage that was late and then failed is not asked again.
    private static let rest = Duration.seconds(2)

    private struct State {
        /// The number of pieces of work that continue without their callers.
        var lateCount = 0
        /// When the storage became late.
        var lateSince = ContinuousClock.now
        var restsUntil: ContinuousClock.Instant?
        /// The mean time of recent work.
        var usualTime = Duration.zero

        /// Whether the storage was late for at least a time.
        func isLate(for time: Duration, at now: ContinuousClock.Instant) -> Bool {
            guard lateCount > 0 || restsUntil.map({ now < $0 }) ?? false else { return false }
            return lateSince.duration(to: now) >= time
        }
    }

    private let state = Mutex(State())

    /// Runs `work`.
    ///
    /// - Parameter limit: the longest wait, for a storage that has become late within this time, too; nil waits for a
    ///   storage that is not late, for the usual time.
    /// - Throws: ``StorageDelay`` when `work` takes too long or the storage is late, and the errors of `work`.
    func run<Result: Sendable>(
        within limit: Duration?, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        let patience = try state.withLock { state throws(StorageDelay) in
            if state.isLate(for: limit ?? .zero, at: start) { throw StorageDelay() }
            return limit ?? min(max(state.usualTime * 4, Self.patienceMin), Self.patienceMax)
        }
        let race = Race<Result>()
        Task {
            do {
                let result = try await work()
                if !race.end(.success(result)) { end(hasFailed: false) }
                learn(.now - start)
            } catch {
                if !race.end(.failure(error)) { end(hasFailed: true) }
            }
        }
        let timer = Task {
            // Cancelled when the work has ended.
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            race.end(.failure(StorageDelay())) { begin() }
        }
        defer { timer.cancel() }
        return try await race.outcome()
    }

    /// Runs `work` for a caller that must end; after the limit it continues without the caller.
    ///
    /// - Throws: ``StorageDelay`` when `work` takes too long, and the errors of `work`.
    package static func ending<Result: Sendable>(
        within limit: Duration, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let race = Race<Result>()
        Task {
            do { race.end(.success(try await work())) } catch { race.end(.failure(error)) }
        }
        let timer = Task {
            // Cancelled when the work has ended.
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            race.end(.failure(StorageDelay()))
        }
        defer { timer.cancel() }
        return try await race.outcome()
    }

    private func begin() {
        state.withLock { state in
            let now = ContinuousClock.now
            if !state.isLate(for: .zero, at: now) { state.lateSince = now }
            state.lateCount += 1
        }
    }

    private func end(hasFailed: Bool) {
        state.withLock { state in
            state.lateCount -= 1
            state.restsUntil = hasFailed ? .now + Self.rest : nil
        }
    }

    private func learn(_ time: Duration) {
        guard time < Self.patienceMax else { return }
        state.withLock { $0.usualTime += (time - $0.usualTime) / 8 }
    }
}

/// An outcome of which only the first counts.
private final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, any Error>?)
        case ended(Result<Value, any Error>?)
    }

    private let state = Mutex(State.open(nil))

    /// Returns whether this outcome is the first, and calls `first` before anyone learns of it.
    @discardableResult
    func end(_ outcome: Result<Value, any Error>, _ first: () -> Void = {}) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            guard case .open(let waiter) = state else { return (false, nil) }
            first()
            state = .ended(waiter == nil ? outcome : nil)
            return (true, waiter)
        }
        waiter?.resume(with: outcome)
        return isFirst
    }

    /// Waits for the first outcome; called once.
    func outcome() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<Value, any Error>? in
                if case .ended(let outcome) = state { return outcome }
                state = .open(continuation)
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }
}
