import PatchbayCore
import PatchbayDomain

/// What a check of a source works with.
struct SourceBench: Sendable {
    let source: Source
    let users: any UserSource

    /// A page that is asked for unconditionally.
    func page(_ request: UserPageRequest) async throws -> (page: UserPage, validator: Validator) {
        switch try await users.users(request, ifChangedFrom: Validator()) {
        case .changed(let page, let validator): return (page, validator)
        case .unchanged:
            throw BrokenPromise(
                "asking for \(request) with an empty validator: the source says \"unchanged\"")
        }
    }

    /// A user who is asked for unconditionally.
    func user(_ login: String) async throws -> (user: User, validator: Validator) {
        switch try await users.user(login, ifChangedFrom: Validator()) {
        case .changed(let user, let validator): return (user, validator)
        case .unchanged:
            throw BrokenPromise(
                "asking for \"\(login)\" with an empty validator: the source says \"unchanged\"")
        }
    }

    /// The first page, which must hold somebody for a check to say anything.
    func firstPage() async throws -> (page: UserPage, validator: Validator) {
        let first = try await page(.after(0))
        guard !first.page.users.isEmpty else {
            throw BrokenPromise("the first page holds nobody; give the kit a source with some users")
        }
        return first
    }

    /// All pages from the start to the end.
    func pages() async throws -> [UserPage] {
        var pages = [try await firstPage().page]
        while let next = pages[pages.count - 1].next {
            guard pages.count < SourceConformance.pagesMax else {
                throw BrokenPromise("after \(pages.count) pages the list goes on at \"\(next)\"")
            }
            pages.append(try await page(.next(next)).page)
        }
        return pages
    }
}
