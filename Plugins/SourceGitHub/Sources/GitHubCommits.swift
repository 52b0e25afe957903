import PatchbayCore
import PatchbayDomain

/// Commits from GitHub's REST API: `GET /repos/{owner}/{repo}/commits`.
///
/// A repository without commits answers 409, which is an empty list (semantics 33).
struct GitHubCommits: CommitSource {
    let server: GitHubServer

    func commits(
        _ page: PageRequest<RepositoryName>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Commit>> {
        let fetched: Fetched<SearchPage<Commit>> = try await server.list(
            question(page), ifChangedFrom: validator, by: ListDecoder.decode)
        guard case .changed(let found, let validator) = fetched else { return .unchanged }
        return .changed(found.page, validator)
    }

    private func question(_ page: PageRequest<RepositoryName>) throws -> GitHubServer.ListQuestion {
        switch page {
        case .next(let link):
            return .init(
                address: try server.address(next: link), noun: "a list of commits",
                missing: "\(server.host) has no such page of commits any more; list from the start")
        case .first(let name):
            let path = try server.path(of: name) + "/commits?per_page=\(GitHubServer.pageItemsMax)"
            return .init(
                address: try server.address(path), noun: "a list of commits", missing: server.missing(name))
        }
    }
}
