import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Repositories from GitHub's REST API.
///
/// It asks `GET /users/{login}/repos`, `GET /orgs/{org}/repos`, `GET /repositories`, `GET
/// /repos/{owner}/{repo}` and `GET /repositories/{id}`, and follows the `Link` header, whose pages have other
/// paths than the first.
struct GitHubRepositories: RepositorySource {
    let server: GitHubServer

    func repositories(
        _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Repository>> {
        let fetched: Fetched<SearchPage<Repository>> = try await server.list(
            question(page), ifChangedFrom: validator, by: ListDecoder.decode)
        guard case .changed(var found, let validator) = fetched else { return .unchanged }
        found.page.items = found.page.items.map(server.addressed)
        return .changed(found.page, validator)
    }

    func repository(
        _ name: RepositoryName, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Repository> {
        let answer = try await server.answer(
            at: server.address(server.path(of: name)), ifChangedFrom: validator)
        switch answer.status {
        case 200:
            let repository = try answer.decoded("a repository", by: RepositoryDecoder.single)
            return .changed(server.addressed(repository), answer.validator)
        case 304 where answer.wasConditional: return .unchanged
        default: throw answer.error(missing: server.missing(name))
        }
    }

    private func question(_ page: PageRequest<RepositoryList>) throws -> GitHubServer.ListQuestion {
        let noun = "a list of repositories"
        switch page {
        case .next(let link):
            return .init(
                address: try server.address(next: link), noun: noun,
                missing: "\(server.host) has no such page of repositories any more; list from the start")
        case .first(let list):
            return .init(
                address: try server.address(path(of: list)), noun: noun, missing: missing(list))
        }
    }

    private func path(of list: RepositoryList) throws -> String {
        let pageItems = "per_page=\(GitHubServer.pageItemsMax)"
        switch list {
        case .ofUser(let login):
            return "/users/" + (try PathSegment(login, noun: "a login").encoded) + "/repos?" + pageItems
        case .ofOrganization(let login):
            return "/orgs/" + (try PathSegment(login, noun: "a login").encoded) + "/repos?" + pageItems
        case .allPublic(let id): return "/repositories" + (id > 0 ? "?since=\(id)" : "")
        }
    }

    private func missing(_ list: RepositoryList) -> String {
        switch list {
        case .ofUser(let login):
            "there is no user \(Quotation.quoted(login)) at \(server.host), or it is hidden"
        case .ofOrganization(let login):
            "there is no organization \(Quotation.quoted(login)) at \(server.host), or it is hidden"
        case .allPublic: "\(server.host) has no list of repositories at this URL; is it GitHub's API?"
        }
    }
}

extension GitHubServer {
    func path(of name: RepositoryName) throws -> String {
        switch name {
        case .id(let id): return "/repositories/\(id)"
        case .named(let owner, let name):
            return "/repos/" + (try PathSegment(owner, noun: "an owner").encoded) + "/"
                + (try PathSegment(name, noun: "a repository's name").encoded)
        }
    }

    /// The sentence for 404.
    func missing(_ name: RepositoryName) -> String {
        let name =
            switch name {
            case .id(let id): "with the id \(id)"
            case .named(let owner, let name): Quotation.quoted("\(owner)/\(name)")
            }
        return "there is no repository \(name) at \(host), or it is hidden"
    }

    /// The repository with the API's address, which a trimmed recording may leave out.
    fileprivate func addressed(_ repository: Repository) -> Repository {
        guard repository.url.isEmpty else { return repository }
        var repository = repository
        repository.url = "\(baseURL)/repos/\(repository.fullName)"
        return repository
    }
}
