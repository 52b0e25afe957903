import PatchbayCore
import PatchbayDomain

/// Requests the rows that a complete list lacked for the first time at their own addresses, which decide whether a row
/// is gone. For those that are not requested, the next complete list does.
struct AbsentRows {
    /// The maximum number of requests in one run.
    static let requestsMax = 20
    private static let concurrency = 4

    /// Whether the run lacked rows.
    var isAny = false

    /// - Parameter rows: finds the rows that the run lacked.
    mutating func request(
        atMost requestsLeft: Int, of resource: Resource, _ gateway: Gateway, _ progress: inout SyncProgress,
        _ rows: @escaping @Sendable (borrowing Reading, _ limit: Int) throws -> [Item]
    ) async throws -> SyncStep {
        guard isAny, requestsLeft > 0, resource.declaration.show != nil else { return .finished }
        isAny = false
        let limit = min(Self.requestsMax, requestsLeft)
        let items = try await gateway.store.read { try rows($0, limit) }
        guard !items.isEmpty else { return .finished }
        let details = try gateway.details(of: resource)
        let outcomes = await concurrently(items, atMost: Self.concurrency, isEnough: { $0 == .unknown }) {
            item in
            await Outcome(of: item, details)
        }
        try Task.checkCancellation()
        progress.requests += outcomes.count { $0 != nil }
        let gone = zip(items, outcomes).filter { $0.1 == .gone }.map(\.0.key)
        guard !gone.isEmpty else { return .saved }
        try await gateway.store.write { writing in
            for key in gone {
                // The list says nothing about a row that was listed again meanwhile.
                guard try writing.reading.item(key, of: resource)?.state.missingSince != nil else { continue }
                try writing.change(key, of: resource) { $0.markGone(at: gateway.now()) }
            }
        }
        progress.changes.gone += Int64(gone.count)
        return .saved
    }

    private enum Outcome: Sendable {
        case listed, gone
        /// The answer says nothing about the row, nor would that of the next one.
        case unknown

        init(of item: Item, _ details: ItemDetails) async {
            do {
                _ = try await details.refresh(item.handle, known: item, isConditional: true)
                self = .listed
            } catch let error as PatchbayError {
                switch error.rowRefusal?.kind {
                case .missing, .removed: self = .gone
                case nil: self = .unknown
                default: self = .listed
                }
            } catch {
                self = .unknown
            }
        }
    }
}
