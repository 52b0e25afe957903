import PatchbayCore
import PatchbayDomain
import Synchronization

/// A feed with pages that exist before the clock runs, so that the time is that of the gateway and the storage.
final class PreparedFeed: ResourceFeed {
    private let pages = Mutex<[Int64: ItemPage]>([:])

    func prepare(_ pages: [Int64: ItemPage]) { self.pages.withLock { $0 = pages } }

    func page(_ request: ItemRequest, ifChangedFrom validator: Validator) async throws -> Fetched<ItemPage> {
        let start = request.next.map { Int64($0.dropFirst("after ".count)) } ?? request.question.after
        guard let start, let page = pages.withLock({ $0[start] }) else {
            throw PatchbayError(.internalError, "the workload did not prepare the page \(request)")
        }
        return .changed(page, Validator(entityTag: "\"page \(start)\""))
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        throw PatchbayError(.internalError, "the workload did not prepare \"\(handle)\"")
    }
}

/// The clock for the timestamps in rows. It advances by a millisecond per operation, so that every subject stores the
/// same.
final class SteppedClock: Sendable {
    private let steps = Mutex<Int64>(0)

    func step() { steps.withLock { $0 += 1 } }

    @Sendable func now() -> Timestamp {
        Timestamp(milliseconds: Population.storedAt.milliseconds + steps.withLock { $0 })
    }
}
