import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// A server that speaks GitHub's REST API: its address, how it is asked, and whose the answers are.
struct GitHubServer: Sendable {
    let baseURL: String
    private let networking: any Networking
    private let base: HTTPAddress?
    /// What validators are good for: the server's address, the credentials, the media type and the API version that
    /// answers depend on. The entity tags of GitHub do not tell these apart (semantics 15, 16), and the links that an
    /// answer holds belong to the address it came from.
    let partition: String

    init(networking: any Networking, baseURL: String, fingerprint: String?) {
        self.networking = networking
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        base = HTTPAddress(self.baseURL)
        let origin = base.map { $0.path == "/" ? $0.origin : $0.text } ?? self.baseURL
        partition = "\(origin) \(fingerprint ?? "anonymous") \(Question.mediaType) \(Question.apiVersion)"
    }

    /// What messages call the server: the host.
    var host: String { base?.authority ?? baseURL }

    /// The server, when its ids are its own: a GitHub Enterprise Server or a tenant of `ghe.com`. It is `HOST`, whether
    /// its address is `HOST/api/v3` or `api.HOST`. Nil for `api.github.com` and what stands in for it.
    var ownIDs: String? {
        guard let base else { return nil }
        let server = base.authority
        let host = server.prefix { $0 != ":" }
        let isEnterprise = base.path.lowercased() == "/api/v3" || host.hasPrefix("api.")
        guard isEnterprise, host != "api.github.com" else { return nil }
        return server.hasPrefix("api.") ? String(server.dropFirst("api.".count)) : server
    }

    /// The address of a path with its query, which starts with a slash.
    func address(_ target: String) throws -> HTTPAddress {
        guard base != nil, let address = HTTPAddress(baseURL + target) else {
            throw PatchbayError(
                .invalidConfiguration,
                "source.base-url: \(Quotation.quoted(baseURL)) is no URL; set one such as https://api.github.com"
            )
        }
        return address
    }

    /// The address of a next page, which must be of this server.
    ///
    /// - Throws: `invalidResponse` with a ``ForeignLink`` as its cause.
    func address(next link: String) throws -> HTTPAddress {
        guard let address = HTTPAddress(link), isOurs(link) else {
            throw PatchbayError(
                .invalidResponse,
                "the next page \(Quotation.quoted(link)) is not at \(baseURL); list from the start",
                cause: ForeignLink())
        }
        return address
    }

    func isOurs(_ link: String) -> Bool { HTTPAddress(link)?.origin == base?.origin && base != nil }

    /// Asks whether what is at an address has changed.
    func answer(
        at address: HTTPAddress, ifChangedFrom validator: Validator
    ) async throws -> Answer {
        try await answer(to: Question(address, ifChangedFrom: validator, in: partition))
    }

    /// Asks for something that is no part of the API, such as a picture.
    func answer(to question: Question) async throws -> Answer { try await question.ask(networking) }
}

extension GitHubServer {
    /// What to ask for, and how messages speak of it.
    struct ListQuestion {
        var address: HTTPAddress
        /// Such as `a list of users`.
        var noun: String
        /// The sentence for 404.
        var missing: String
        /// Whether 204 is an empty list (semantics 10); a list that is never empty has no such answer.
        var mayBeEmpty = true
    }

    /// A page of a list with what a search says about it.
    func list<Item>(
        _ question: ListQuestion, ifChangedFrom validator: Validator,
        by decode: ([UInt8]) throws -> ListBody<Item>
    ) async throws -> Fetched<SearchPage<Item>> {
        let answer = try await answer(at: question.address, ifChangedFrom: validator)
        switch answer.status {
        case 200:
            let body = try answer.decoded(question.noun, by: decode)
            let page = SearchPage(
                try page(of: body.items, in: answer), total: body.total, isIncomplete: body.isIncomplete)
            return .changed(page, answer.validator)
        case 204 where question.mayBeEmpty: return .changed(SearchPage(Page([])), answer.validator)
        case 204: throw answer.invalid("it has no content where \(question.noun) was expected")
        case 304 where answer.wasConditional: return .unchanged
        default:
            if let end = EndOfList(answer) {
                return .changed(SearchPage(Page([]), cap: end.cap), Validator())
            }
            throw answer.error(missing: question.missing)
        }
    }

    private func page<Item>(of items: [Item], in answer: Answer) throws -> Page<Item> {
        let field = answer.response.head.headerFields[.link]
        let last = Link.target("last", in: field).flatMap(HTTPAddress.init)
        let next = try checked(Link.target("next", in: field), in: answer)
        return Page(
            items, next: next, isFull: items.count >= answer.address.pageItems,
            pageCount: next == nil ? nil : last?.queryInteger("page"))
    }

    private func checked(_ next: String?, in answer: Answer) throws -> String? {
        guard let next else { return nil }
        guard isOurs(next) else {
            throw answer.invalid("the next page \(Quotation.quoted(next)) is not at \(baseURL)")
        }
        guard HTTPAddress(next) != answer.address else {
            throw answer.invalid("the page names itself as its next")
        }
        return next
    }
}
