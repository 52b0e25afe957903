public import PatchbayCore

/// The promises of `Storage`, as tests for any storage.
///
/// The kit imports no test framework; a test of a storage is a few lines:
///
///     @Test(arguments: StorageConformance.promises)
///     func keeps(_ promise: Promise) async throws {
///         try await StorageConformance { try MyStorage(directory: $0) }.check(promise)
///     }
///
/// `PATCHBAY_SEED` repeats a random test, `PATCHBAY_STEPS` makes it longer.
public struct StorageConformance: Sendable {
    private let makeStorage: @Sendable (String) async throws -> any Storage

    /// - Parameter makeStorage: makes a storage over a folder that is empty at first; called again with the
    ///   same folder to reopen. The kit calls `open` and `close`.
    public init(makeStorage: @escaping @Sendable (_ directory: String) async throws -> any Storage) {
        self.makeStorage = makeStorage
    }

    /// All promises, in the order in which a new storage should meet them.
    public static let promises: [Promise] =
        Promise.transactions + Promise.repetitions + Promise.values + Promise.order + Promise.queries
        + Promise.indexes
        + Promise.revision
        + Promise.snapshots + Promise.opening + Promise.reopen + Promise.migration + Promise.maintenance
        + Promise.processes + Promise.model

    /// Divides the promises into those that a storage with these features gives, and the others.
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

    /// One line for each promise: that it is checked, or why it is not.
    ///
    ///     print(StorageConformance.describePlan(for: storage.features))
    public static func describePlan(for features: StorageFeatures) -> String {
        promises.map { promise in
            promise.reasonToSkip(for: features).map { "skipped  \(promise): \($0)" } ?? "checked  \(promise)"
        }.joined(separator: "\n")
    }

    /// Does random things to a storage and to `MemoryStorage`, and compares each answer.
    ///
    /// - Parameters:
    ///   - steps: how many transactions; about 1,000 a second.
    ///   - seed: repeats a run; nil takes `PATCHBAY_SEED`, or a new one.
    /// - Throws: ``BrokenPromise`` naming the step, what it did and the seed.
    public func compareWithModel(steps: Int, seed: UInt64? = nil) async throws {
        try await TemporaryDirectory.with { directory in
            let workbench = try Workbench(in: directory, makeStorage: makeStorage)
            let generator = seed.map { SeededGenerator(seed: $0) } ?? .fromEnvironment()
            try await ModelTest(workbench, steps: steps).run(generator)
        }
    }

    /// What became of a check that did not fail.
    public enum Outcome: Sendable, Equatable {
        case kept
        /// The storage does not give this promise, or it cannot be checked within one process.
        case skipped(reason: String)
    }

    /// Checks one promise in a folder of its own, which is removed afterwards.
    ///
    /// - Throws: ``BrokenPromise`` that tells what was expected and what came.
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
            } catch var broken as BrokenPromise {
                broken.promise = promise.description
                throw broken
            } catch {
                var broken = BrokenPromise("the storage threw an error that it should not", cause: error)
                broken.promise = promise.description
                throw broken
            }
        }
    }
}
