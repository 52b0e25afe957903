#if Live
/// Thrown when the time for an exchange is over.
struct DeadlinePassed: Error {}

/// Runs `work` and cancels it when it takes longer than `limit`.
///
/// - Throws: ``DeadlinePassed``, any error of `work`, or `CancellationError` when the calling task was cancelled.
func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlinePassed()
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
#endif
