public import PatchbayDomain

/// The promises of a source of users, as tests for any source.
///
///     @Test(arguments: SourceConformance.promises)
///     func keeps(_ promise: SourcePromise) async throws {
///         try await SourceConformance { MySource() }.check(promise)
///     }
///
/// The source is asked a few dozen times; give it a network that answers from memory, such as a recording.
public struct SourceConformance: Sendable {
    /// The most pages that a check walks.
    public static let pagesMax = 1_000

    private let features: SourceFeatures
    private let openSource: @Sendable () async throws -> Source

    /// - Parameters:
    ///   - features: what the source offers; promises that need more are skipped.
    ///   - openSource: opens a source that has users; called for each check, and closed behind it.
    public init(
        features: SourceFeatures = .all, openSource: @escaping @Sendable () async throws -> Source
    ) {
        self.features = features
        self.openSource = openSource
    }

    /// The same over the feed of users alone.
    public init(features: SourceFeatures = .all, users: @escaping @Sendable () -> any UserSource) {
        self.init(features: features) { Source(name: "the source", users: users()) }
    }

    /// All promises, in the order in which a new source should meet them.
    public static let promises: [SourcePromise] =
        SourcePromise.list + SourcePromise.details + SourcePromise.behaviour

    /// One line for each promise: that it is checked, or why it is not.
    public static func describePlan(for features: SourceFeatures) -> String {
        promises.map { promise in
            promise.reasonToSkip(for: features).map { "skipped  \(promise): \($0)" } ?? "checked  \(promise)"
        }.joined(separator: "\n")
    }

    /// Checks one promise with a source of its own.
    ///
    /// - Throws: ``BrokenPromise`` that tells what was expected and what came.
    @discardableResult
    public func check(_ promise: SourcePromise) async throws -> StorageConformance.Outcome {
        if let reason = promise.reasonToSkip(for: features) { return .skipped(reason: reason) }
        do {
            let source = try await openSource()
            guard let users = source.users else { throw BrokenPromise("the source has no users") }
            do {
                try await promise.check(SourceBench(source: source, users: users))
            } catch {
                // The first error is the one to tell.
                try? await source.close?()
                throw error
            }
            try await source.close?()
            return .kept
        } catch var broken as BrokenPromise {
            broken.promise = promise.description
            throw broken
        } catch {
            var broken = BrokenPromise("the source threw an error that it should not", cause: error)
            broken.promise = promise.description
            throw broken
        }
    }
}
