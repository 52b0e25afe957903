import HTTPTypes
public import PatchbayCore
public import PatchbayDomain

/// Users from GitHub's REST API.
///
/// It asks `GET /users` and `GET /users/{login}` and follows the `Link` header from page to page. Redirects,
/// retries, credentials and rate limits are the work of the layers below.
///
/// - An answer that is not GitHub's API gives `invalidResponse` naming URL and member.
/// - `notFound` is only what the API itself says. What a recording does not hold gives `unsupported`, so
///   that nobody takes an account for gone because it was not recorded.
public struct GitHubUsers: UserSource {
    private let server: GitHubServer

    /// - Parameters:
    ///   - baseURL: such as `https://api.github.com`; a slash at its end does not count. One that is no URL
    ///     gives `invalidConfiguration` when something is asked.
    ///   - fingerprint: what tells the credentials from others (`SourceAPI.open`).
    public init(networking: any Networking, baseURL: String, fingerprint: String? = nil) {
        self.init(GitHubServer(networking: networking, baseURL: baseURL, fingerprint: fingerprint))
    }

    init(_ server: GitHubServer) { self.server = server }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let question = GitHubServer.ListQuestion(
            address: try address(of: page), noun: "a list of users",
            missing: "\(server.host) has no list of users at this URL; is it GitHub's API?",
            mayBeEmpty: false)
        let fetched = try await server.list(question, ifChangedFrom: validator) {
            ListBody(items: try UserDecoder.page($0))
        }
        guard case .changed(let found, let validator) = fetched else { return .unchanged }
        var users = found.page
        server.address(&users.items)
        if case .first(let start) = page, let first = users.items.first, first.id <= start.id {
            throw PatchbayError(
                .invalidResponse,
                "the answer of \(question.address.display) cannot be used: the first user has the id "
                    + "\(first.id), but those after \(start.id) were asked for")
        }
        return .changed(users, validator)
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let segment = try PathSegment(login, noun: "a login")
        let answer = try await server.answer(
            at: server.address("/users/" + segment.encoded), ifChangedFrom: validator)
        switch answer.status {
        case 200:
            let user = try answer.decoded("a user", by: UserDecoder.single)
            return .changed(server.addressed(user), answer.validator)
        case 304 where answer.wasConditional: return .unchanged
        default:
            throw answer.error(
                missing: "there is no user \(Quotation.quoted(login)) at \(server.host), or it is hidden")
        }
    }

    private func address(of page: UserPageRequest) throws -> HTTPAddress {
        switch page {
        case .first(let start):
            let since = start.id > 0 ? "&since=\(start.id)" : ""
            return try server.address("/users?per_page=\(GitHubServer.pageItemsMax)" + since)
        case .next(let link): return try server.address(next: link)
        }
    }
}

extension GitHubServer {
    /// Items a page; the most that GitHub gives.
    static let pageItemsMax = 100

    /// Gives users the API's addresses, where a trimmed recording leaves them out.
    func address(_ users: inout [User]) {
        for position in users.indices where users[position].url.isEmpty {
            users[position] = addressed(users[position])
        }
    }

    /// The user with the API's address, which a trimmed recording may leave out.
    func addressed(_ user: User) -> User {
        guard user.url.isEmpty else { return user }
        var user = user
        user.url = "\(baseURL)/users/\(user.login)"
        return user
    }
}
