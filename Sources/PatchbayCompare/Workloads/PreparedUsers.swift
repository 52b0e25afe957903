import PatchbayCore
import PatchbayDomain
import Synchronization

/// A source that answers from pages made before the clock runs, so that what is measured is the gateway and the
/// storage.
final class PreparedUsers: UserSource {
    private let pages = Mutex<[Int64: UserPage]>([:])

    func prepare(_ pages: [Int64: UserPage]) { self.pages.withLock { $0 = pages } }

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let start: Int64? =
            switch page {
            case .first(let after): after.id
            case .next(let next): next.hasPrefix("after ") ? Int64(next.dropFirst(6)) : nil
            }
        guard let start, let page = pages.withLock({ $0[start] }) else {
            throw PatchbayError(.internalError, "the workload did not prepare the page \(page)")
        }
        return .changed(page, Validator(entityTag: "\"page \(start)\""))
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        throw PatchbayError(.internalError, "the workload did not prepare the user \"\(login)\"")
    }
}
