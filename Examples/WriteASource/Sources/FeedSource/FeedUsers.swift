import HTTPTypes
public import Patchbay

/// Users from a feed. Redirects, retries, tokens, limits and recordings are the work of Patchbay's layers.
public struct FeedUsers: UserSource {
    static let pageUsers = 100

    private let networking: any Networking
    private let baseURL: String

    public init(networking: any Networking, baseURL: String) {
        self.networking = networking
        self.baseURL = baseURL
    }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let after = try position(of: page)
        let fetched = try await get("/users.json?after=\(after)", validator, missing: "there is no feed here")
        guard case .changed(let body, let validator) = fetched else { return .unchanged }
        let users = try FeedDecoder.users(body, from: baseURL)
        guard zip([after] + users.map(\.id), users.map(\.id)).allSatisfy({ $0 < $1 }) else {
            throw PatchbayError(.invalidResponse, "the users of \(baseURL) are not in the order of their ids")
        }
        let isFull = users.count >= FeedUsers.pageUsers
        let next = isFull ? users.last.map { String($0.id) } : nil
        return .changed(Page(users, next: next, isFull: isFull), validator)
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let fetched = try await get(
            "/users/\(PercentEncoding.segment(login)).json", validator,
            missing: "there is no user \"\(login)\" in \(baseURL)")
        guard case .changed(let body, let validator) = fetched else { return .unchanged }
        return .changed(try FeedDecoder.user(body, from: baseURL), validator)
    }

    private func position(of page: UserPageRequest) throws -> Int64 {
        switch page {
        case .first(let start): return start.id
        case .next(let link):
            guard let id = Int64(link) else {
                throw PatchbayError(.invalidResponse, "\"\(link)\" is no page of \(baseURL)")
            }
            return id
        }
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
        case 401, 403: throw PatchbayError(.unauthorized, "\(baseURL) wants another token")
        case 404: throw PatchbayError(.notFound, missing)
        case let status:
            throw PatchbayError(.invalidResponse, "\(baseURL)\(path) answered with the status \(status)")
        }
    }
}

extension HTTPRequest {
    /// - Throws: `invalidConfiguration` when the base is not scheme, host and perhaps a path.
    fileprivate init(baseURL: String, path: String) throws {
        let parts = baseURL.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix(":"), parts[1].isEmpty, !parts[2].isEmpty else {
            throw PatchbayError(.invalidConfiguration, "\"\(baseURL)\" is no address")
        }
        let place = parts[2].split(separator: "/", maxSplits: 1)
        self.init(
            method: .get, scheme: String(parts[0].dropLast()), authority: String(place[0]),
            path: (place.count > 1 ? "/" + place[1] : "") + path)
    }
}
