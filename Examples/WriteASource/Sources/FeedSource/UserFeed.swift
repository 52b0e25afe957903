import HTTPTypes
public import Patchbay

/// Users from a feed. Patchbay's layers handle redirects, retries, tokens, limits and recordings.
public struct UserFeed: ResourceFeed {
    static let pageRows = 100

    private let networking: any Networking
    private let baseURL: String

    /// Creates the feed of a server at an address.
    public init(networking: any Networking, baseURL: String) {
        self.networking = networking
        self.baseURL = baseURL
    }

    /// Requests a page of the list.
    public func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        guard let after = request.next.map({ Int64($0) }) ?? request.question.after else {
            throw PatchbayError(.invalidResponse, "\(baseURL) has no page \"\(request.next ?? "")\"")
        }
        let fetched = try await get(
            "/users.json?after=\(after)", validator, missing: "\(baseURL) has no feed")
        guard case .changed(let body, let validator) = fetched else { return .unchanged }
        var page = ItemPage(try FeedDecoder(resource: request.question.resource).items(body))
        let ids = page.items.compactMap(\.order)
        guard zip([after] + ids, ids).allSatisfy({ $0 < $1 }) else {
            throw PatchbayError(.invalidResponse, "the users of \(baseURL) are not ordered by id")
        }
        page.isFull = ids.count >= UserFeed.pageRows
        if page.isFull { page.next = ids.last.map { String($0) } }
        return .changed(page, validator)
    }

    /// Requests one row.
    public func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        let fetched = try await get(
            "/users/\(PercentEncoding.segment(handle)).json", validator,
            missing: "\(baseURL) has no user \"\(handle)\"")
        guard case .changed(let body, let validator) = fetched else { return .unchanged }
        return .changed(try FeedDecoder(resource: resource).item(body), validator)
    }

    private func get(
        _ path: String, _ validator: Validator, missing: String
    ) async throws -> Fetched<[UInt8]> {
        var request = try HTTPRequest(baseURL: baseURL, path: path)
        request.headerFields[.accept] = "application/json"
        request.headerFields[.ifNoneMatch] = validator.entityTag
        let response = try await networking.send(request, body: [])
        switch response.head.status.code {
        case 200: return .changed(response.body, Validator(entityTag: response.head.headerFields[.eTag]))
        case 304 where validator.entityTag != nil: return .unchanged
        case 401, 403: throw PatchbayError(.unauthorized, "\(baseURL) does not accept the token")
        case 404: throw PatchbayError(.notFound, missing)
        case let status:
            throw PatchbayError(
                .invalidResponse, "\(baseURL)\(path) answered with the status \(status)", [.status(status)])
        }
    }
}

extension HTTPRequest {
    /// - Throws: `invalidConfiguration` when the base URL does not consist of a scheme, a host and an optional path.
    fileprivate init(baseURL: String, path: String) throws {
        let parts = baseURL.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix(":"), parts[1].isEmpty, !parts[2].isEmpty else {
            throw PatchbayError(.invalidConfiguration, "\"\(baseURL)\" is not an address")
        }
        let place = parts[2].split(separator: "/", maxSplits: 1)
        self.init(
            method: .get, scheme: String(parts[0].dropLast()), authority: String(place[0]),
            path: (place.count > 1 ? "/" + place[1] : "") + path)
    }
}
