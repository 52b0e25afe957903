public import HTTPTypes
public import PatchbayCore
import PatchbayJSON
import Synchronization

/// Adds the token to requests for one origin, and to no other.
///
/// It stands below ``Redirects``, so that each hop is judged for itself. A request that has an `Authorization`
/// already keeps it.
///
/// - The token is read once, by whoever comes first; the others wait for it. When the server answers 401 it is
///   read once more; the request is sent again if the token is another one then.
/// - Without TLS a token goes to this machine only.
/// - No error and no log holds the token, also where a server repeats it (``Redaction``); `TokenFingerprint` stands for
///   it.
public final class Authorization: NetworkingLayer {
    /// How the token is sent.
    public enum Scheme: Hashable, Sendable {
        case bearer
        /// The token is a name and a password, `NAME:PASSWORD` (RFC 7617).
        case basic
        /// In a header field, after a prefix and a space where there is one.
        case header(name: String, prefix: String?)
        /// As a parameter of the address's query.
        case query(name: String)
    }

    let scheme: Scheme
    private let origin: String
    private let isSafe: Bool
    private let provider: TokenProvider
    private let state = Mutex(State())

    /// - Parameter baseURL: an address of the origin that gets the token, such as `https://api.github.com`.
    /// - Throws: `invalidConfiguration` when it is no http(s) address.
    public init(baseURL: String, token: TokenProvider, scheme: Scheme = .bearer) throws {
        guard let address = HTTPAddress(baseURL) else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(SecretNames.cleaned(address: baseURL))\" is no address; give one such as https://api.github.com"
            )
        }
        origin = address.origin
        isSafe = address.scheme == "https" || address.isLoopback
        provider = token
        self.scheme = scheme
    }

    /// - Throws: `invalidConfiguration` when the token cannot stand in a header, or would go over plain http;
    ///   what the provider throws.
    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard !request.isAuthorized(by: scheme), HTTPAddress(of: request).origin == origin,
            let token = try await reading().value
        else { return try await next.send(request, body: body) }
        let response = try await next.send(request.authorized(token, by: scheme), body: body)
        guard response.head.status == .unauthorized, let newToken = try await reading(after: token).value,
            newToken != token
        else { return response }
        return try await next.send(request.authorized(newToken, by: scheme), body: body)
    }
}

extension Authorization {
    private struct State {
        var reading: Task<String?, any Error>?
        /// The refused token after which the provider was asked again; it is asked once for each.
        var refused: String?
    }

    /// The reading that all requests share, a new one after one that failed.
    private func reading() -> Task<String?, any Error> {
        state.withLock { state in
            if let reading = state.reading { return reading }
            let reading = newReading()
            state.reading = reading
            return reading
        }
    }

    /// The reading to use after the server refused a token: a new one, once for all whom it refused.
    private func reading(after refused: String) async throws -> Task<String?, any Error> {
        let current = reading()
        guard try await current.value == refused else { return current }
        return state.withLock { state in
            // Somebody else may have begun one meanwhile.
            guard state.reading == current, state.refused != refused else { return state.reading ?? current }
            let reading = newReading()
            state.reading = reading
            state.refused = refused
            return reading
        }
    }

    private func newReading() -> Task<String?, any Error> {
        Task {
            do {
                let token = try await provider.read()
                return try token.map(checked)
            } catch {
                // A failure is told, and not remembered.
                state.withLock { $0.reading = nil }
                throw error
            }
        }
    }

    private func checked(_ token: String) throws -> String {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the token for \"\(origin)\" holds spaces, line breaks or other signs that no token has")
        }
        guard isSafe else {
            throw PatchbayError(
                .invalidConfiguration,
                "the token is not sent to \"\(origin)\" without encryption; use https, or no token")
        }
        return token
    }
}

extension Authorization.Scheme {
    /// What budgets know a token by when it is sent in this way.
    public func fingerprint(_ token: String) -> TokenFingerprint? {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        return fingerprint(of: request.authorized(token, by: self))
    }

    /// The same of a request; nil without a token.
    func fingerprint(of request: HTTPRequest) -> TokenFingerprint? {
        switch self {
        case .bearer, .basic: TokenFingerprint(authorization: request.headerFields[.authorization])
        case .header(let name, _):
            TokenFingerprint(
                authorization: HTTPField.Name(name).flatMap { request.headerFields[$0] })
        case .query(let name):
            request.queryItems.first { $0.hasPrefix(name + "=") }.map {
                TokenFingerprint($0.dropFirst(name.count + 1))
            }
        }
    }
}

extension HTTPRequest {
    fileprivate var queryItems: [Substring] {
        (path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
    }

    fileprivate func isAuthorized(by scheme: Authorization.Scheme) -> Bool {
        switch scheme {
        case .bearer, .basic: headerFields[.authorization] != nil
        case .header(let name, _): HTTPField.Name(name).flatMap { headerFields[$0] } != nil
        case .query(let name): queryItems.contains { $0.hasPrefix(name + "=") }
        }
    }

    fileprivate func authorized(_ token: String, by scheme: Authorization.Scheme) -> HTTPRequest {
        var request = self
        switch scheme {
        case .bearer: request.headerFields[.authorization] = "Bearer \(token)"
        case .basic:
            let encoded = String(decoding: Base64.encoded(Array(token.utf8)), as: UTF8.self)
            request.headerFields[.authorization] = "Basic \(encoded)"
        case .header(let name, let prefix):
            guard let name = HTTPField.Name(name) else { break }
            request.headerFields[name] = (prefix.map { $0 + " " } ?? "") + token
        case .query(let name):
            let item = "\(PercentEncoding.segment(name))=\(PercentEncoding.segment(token))"
            let path = request.path ?? "/"
            request.path = path + (path.contains("?") ? "&" : "?") + item
        }
        return request
    }
}
