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
    private let networking: any Networking
    private let baseURL: String
    private let base: HTTPAddress?

    /// - Parameter baseURL: such as `https://api.github.com`; a slash at its end does not count. One that is
    ///   no URL gives `invalidConfiguration` when something is asked.
    public init(networking: any Networking, baseURL: String) {
        self.networking = networking
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        base = HTTPAddress(self.baseURL)
    }

    /// What messages call the source: the host.
    var host: String { base?.authority ?? baseURL }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let question = try Question(address(of: page), ifChangedFrom: validator)
        let answer = try await question.ask(networking)
        switch answer.status {
        case 200: return try .changed(userPage(in: answer, to: page), answer.validator)
        case 204: return .changed(UserPage(users: [], next: nil), answer.validator)
        case 304 where question.isConditional: return .unchanged
        default: throw answer.error(missing: "\(host) has no list of users at this URL; is it GitHub's API?")
        }
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let question = try Question(address(of: login), ifChangedFrom: validator)
        let answer = try await question.ask(networking)
        switch answer.status {
        case 200:
            let user = try answer.decoded("a user", by: UserDecoder.single)
            return .changed(addressed(user), answer.validator)
        case 304 where question.isConditional: return .unchanged
        default:
            throw answer.error(
                missing: "there is no user \(Quotation.quoted(login)) at \(host), or it is hidden")
        }
    }
}

extension GitHubUsers {
    /// Users a page; the most that GitHub takes.
    private static let pageUsers = 100

    private func userPage(in answer: Answer, to request: UserPageRequest) throws -> UserPage {
        let users = try answer.decoded("a list of users", by: UserDecoder.page).map(addressed)
        let next = Link.target("next", in: answer.response.head.headerFields[.link])
        if case .after(let id) = request, let first = users.first, first.id <= id {
            throw answer.invalid(
                "the first user has the id \(first.id), but those after \(id) were asked for")
        }
        guard let next else { return UserPage(users: users, next: nil) }
        guard isOurs(next) else {
            throw answer.invalid("the next page \(Quotation.quoted(next)) is not at \(baseURL)")
        }
        if case .next(next) = request { throw answer.invalid("the page names itself as its next") }
        return UserPage(users: users, next: next)
    }

    /// The user with the API's address, which a trimmed recording may leave out.
    private func addressed(_ user: User) -> User {
        guard user.url.isEmpty else { return user }
        var user = user
        user.url = "\(baseURL)/users/\(user.login)"
        return user
    }

    private func address(of page: UserPageRequest) throws -> HTTPAddress {
        switch page {
        case .after(let id):
            return try address("/users?per_page=\(Self.pageUsers)" + (id > 0 ? "&since=\(id)" : ""))
        case .next(let link):
            guard let address = HTTPAddress(link), isOurs(link) else {
                throw PatchbayError(
                    .invalidResponse,
                    "the next page \(Quotation.quoted(link)) is not at \(baseURL); list from the start")
            }
            return address
        }
    }

    private func address(of login: String) throws -> HTTPAddress {
        guard !login.isEmpty, login != ".", login != "..", login.utf8.count <= 255 else {
            throw PatchbayError(
                .invalidValue, "\(Quotation.quoted(login)) cannot be a login; give 1 to 255 bytes")
        }
        return try address("/users/" + PathSegment(login).encoded)
    }

    private func address(_ target: String) throws -> HTTPAddress {
        guard base != nil, let address = HTTPAddress(baseURL + target) else {
            throw PatchbayError(
                .invalidConfiguration,
                "source.url: \(Quotation.quoted(baseURL)) is no URL; set one such as https://api.github.com")
        }
        return address
    }

    private func isOurs(_ link: String) -> Bool { HTTPAddress(link)?.origin == base?.origin && base != nil }
}
