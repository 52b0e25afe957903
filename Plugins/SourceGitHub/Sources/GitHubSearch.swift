import PatchbayCore
import PatchbayDomain

/// Searches through GitHub's REST API: `GET /search/users` and `GET /search/repositories`.
///
/// GitHub gives the first 1,000 results of a query; a list that ends there says so (``SearchPage/cap``).
struct GitHubSearch: UserSearchSource, RepositorySearchSource {
    /// The most results of one query.
    static let resultsMax: Int64 = 1_000
    /// The characters of a query.
    static let queryCharactersMax = 256

    let server: GitHubServer

    func searchUsers(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<User>> {
        let fetched: Fetched<SearchPage<User>> = try await server.list(
            question(page, "users"), ifChangedFrom: validator, by: ListDecoder.decode)
        guard case .changed(var found, let validator) = fetched else { return .unchanged }
        server.address(&found.page.items)
        return .changed(found.capped, validator)
    }

    func searchRepositories(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<Repository>> {
        let fetched: Fetched<SearchPage<Repository>> = try await server.list(
            question(page, "repositories"), ifChangedFrom: validator, by: ListDecoder.decode)
        guard case .changed(let found, let validator) = fetched else { return .unchanged }
        return .changed(found.capped, validator)
    }

    private func question(_ page: PageRequest<String>, _ noun: String) throws -> GitHubServer.ListQuestion {
        let missing = "\(server.host) has no search for \(noun) at this URL; is it GitHub's API?"
        switch page {
        case .next(let link):
            return .init(
                address: try server.address(next: link), noun: "a list of found \(noun)", missing: missing)
        case .first(let query):
            guard (1...Self.queryCharactersMax).contains(query.unicodeScalars.count) else {
                throw PatchbayError(
                    .invalidValue,
                    "a query has 1 to \(Self.queryCharactersMax) characters, this one has "
                        + "\(query.unicodeScalars.count)")
            }
            let path = "/search/\(noun)?q=\(PathSegment(query).encoded)&per_page=\(GitHubServer.pageItemsMax)"
            return .init(
                address: try server.address(path), noun: "a list of found \(noun)", missing: missing)
        }
    }
}

extension SearchPage {
    /// The page, with the cap when it is the last one that GitHub gives of more results.
    fileprivate var capped: Self {
        guard page.next == nil, let total, total > GitHubSearch.resultsMax else { return self }
        var page = self
        page.cap = GitHubSearch.resultsMax
        return page
    }
}
