import PatchbayCore
import PatchbayDomain

/// Fetches the first page of the list of all users, when it is not stored yet.
public struct InitUsers: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Returns: how many users the page held; nil when the first page was there already.
    /// - Throws: what the source and the storage throw; `conflict` when the users were cleared meanwhile.
    @discardableResult
    public func callAsFunction() async throws -> Int? {
        try await store.check()
        let place = try await store.read { try $0.page(from: 0) == nil ? $0.place(of: 0) : nil }
        guard let place else { return nil }
        let feed = try source.requireUsers()
        guard
            case .changed(let page, let validator) = try await feed.users(
                place.request, ifChangedFrom: Validator())
        else {
            throw PatchbayError(
                .invalidResponse, "the source says \"unchanged\" about users that it never told")
        }
        return try await store.write { [now] writing in
            guard try writing.reading.page(from: 0) == nil else { return nil }
            _ = try writing.save(page, validator, place, at: now())
            return page.users.count
        }
    }
}
