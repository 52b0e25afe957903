public import PatchbayCore

/// The promises of `Storage`, as tests for any storage.
///
/// The kit does not import a test framework; a test of a storage takes a few lines:
///
///     @Test(arguments: StorageConformance.promises)
///     func keeps(_ promise: Promise) async throws {
///         try await StorageConformance { try MyStorage(directory: $0) }.check(promise)
///     }
///
/// `PATCHBAY_SEED` repeats a random test, and `PATCHBAY_STEPS` sets its length.
public struct StorageConformance: Sendable {
    private let makeStorage: @Sendable (String) async throws -> any Storage

    /// - Parameter makeStorage: creates a storage in a folder that is empty the first time; called again with the same
    ///   folder to reopen the storage. The kit calls `open` and `close`.
    public init(makeStorage: @escaping @Sendable (_ directory: String) async throws -> any Storage) {
        self.makeStorage = makeStorage
    }

    /// All promises, in the order in which a new storage should fulfil them.
    public static let promises: [Promise] =
        Promise.transactions + Promise.repetitions + Promise.values + Promise.order + Promise.queries
        + Promise.indexes + Promise.revision + Promise.snapshots + Promise.open + Promise.opening
        + Promise.identity + Promise.reopen + Promise.migration + Promise.maintenance + Promise.damage
        + Promise.processes + Promise.model

    /// Divides the promises into those that a storage with these features makes, and the others.
    public static func plan(
        for features: StorageFeatures
    ) -> (run: [Promise], skipped: [(promise: Promise, reason: String)]) {
        var run: [Promise] = [], skipped: [(promise: Promise, reason: String)] = []
        for promise in promises {
            if let reason = promise.reasonToSkip(for: features) {
                skipped.append((promise, reason))
            } else {
                run.append(promise)
            }
        }
        return (run, skipped)
    }

    /// Returns one line per promise, which states that it is checked, or why it is not.
    ///
    ///     print(StorageConformance.describePlan(for: storage.features))
    public static func describePlan(for features: StorageFeatures) -> String {
        promises.map { promise in
            promise.reasonToSkip(for: features).map { "skipped  \(promise): \($0)" } ?? "checked  \(promise)"
        }.joined(separator: "\n")
    }

    /// Performs random operations on a storage and on `MemoryStorage`, and compares the results.
    ///
    /// - Parameters:
    ///   - steps: the number of transactions; about 1,000 run per second.
    ///   - seed: repeats a run; nil uses `PATCHBAY_SEED`, or a new seed.
    /// - Throws: ``BrokenPromise`` with the step, its operations and the seed.
    public func compareWithModel(steps: Int, seed: UInt64? = nil) async throws {
        try await TemporaryDirectory.with { directory in
            let workbench = try Workbench(in: directory, makeStorage: makeStorage)
            let generator = seed.map { SeededGenerator(seed: $0) } ?? .fromEnvironment()
            try await ModelTest(workbench, steps: steps).run(generator)
        }
    }

    /// The outcome of a check that did not fail.
    public enum Outcome: Sendable, Equatable {
        /// The storage keeps the promise.
        case kept
        /// The storage does not make this promise, or it cannot be checked within one process.
        case skipped(reason: String)
    }

    /// Checks one promise in a folder of its own, which is removed afterwards.
    ///
    /// - Throws: ``BrokenPromise`` with the expected and the actual result.
    @discardableResult
    public func check(_ promise: Promise) async throws -> Outcome {
        try await TemporaryDirectory.with { directory in
            let workbench = try Workbench(in: directory, makeStorage: makeStorage)
            if let reason = promise.reasonToSkip(for: try await workbench.features()) {
                return .skipped(reason: reason)
            }
            do {
                try await promise.check(workbench)
                return .kept
            } catch let skip as CannotCheck {
                return .skipped(reason: skip.reason)
            } catch {
                var broken =
                    error as? BrokenPromise
                    ?? BrokenPromise("the storage threw an unexpected error", cause: error)
                broken.promise = promise.description
                throw broken
            }
        }
    }
}
