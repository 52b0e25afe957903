package import HTTPTypes
package import PatchbayCore
import PatchbayJSON
import Synchronization

/// Adds the token to requests to one origin only.
///
/// The layer is below ``Redirects``, so each hop is judged on its own. A request that already has an `Authorization`
/// field keeps it.
///
/// - The first request reads the token once, and the others wait for it. When the server answers 401, the token is read
///   once more, and the request is sent again, unconditionally, if the token has changed. A token that is refused again
///   is read again after half a minute.
/// - Without TLS, the token is sent only to this machine.
/// - Errors and logs never contain the token, even when a server repeats it (``Redaction``); they show its
///   `TokenFingerprint` instead.
package final class Authorization: NetworkingLayer {
    /// How the token is sent.
    package enum Scheme: Hashable, Sendable {
        case bearer
        /// HTTP Basic (RFC 7617); the token is `NAME:PASSWORD`.
        case basic
        /// In a header field, directly after the prefix.
        case header(name: String, prefix: String?)
        /// As a query parameter of the address.
        case query(name: String)
    }

    let scheme: Scheme
    private let origin: String
    private let isSafe: Bool
    private let provider: TokenProvider
    private let pause: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - baseURL: an address of the origin that receives the token, such as `https://api.github.com`.
    ///   - pause: the least time between two readings because of one refused token, which may be renewed meanwhile.
    /// - Throws: `invalidConfiguration` when `baseURL` is not an http(s) address.
    package init(
        baseURL: String, token: TokenProvider, scheme: Scheme = .bearer, pause: Duration = .seconds(30)
    ) throws {
        guard let address = HTTPAddress(baseURL) else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(SecretNames.cleaned(address: baseURL))\" is not an address; use one such as https://api.github.com"
            )
        }
        origin = address.origin
        isSafe = address.scheme == "https" || address.isLoopback
        provider = token
        self.pause = pause
        self.scheme = scheme
    }

    /// Returns the fingerprint of the token that was read last, because it may be read again; before the first reading
    /// that of the configured one.
    package func fingerprint(configured: TokenFingerprint?) -> TokenFingerprint? {
        state.withLock { $0.fingerprint ?? configured }
    }

    /// - Throws: `invalidConfiguration` when the token is not allowed in a header, or would be sent over plain http;
    ///   any error of the provider.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard request.credential(sentAs: scheme) == nil, HTTPAddress(of: request).origin == origin,
            let token = try await reading().value
        else { return try await next.send(request, body: body) }
        let response = try await next.send(request.authorized(token, by: scheme), body: body)
        guard response.head.status == .unauthorized, let newToken = try await reading(after: token).value,
            newToken != token
        else { return response }
        // "Not modified" would confirm what the server has returned for another account.
        var again = request.authorized(newToken, by: scheme)
        (again.headerFields[.ifNoneMatch], again.headerFields[.ifModifiedSince]) = (nil, nil)
        return try await next.send(again, body: body)
    }
}

extension Authorization {
    private struct State {
        var reading: Task<String?, any Error>?
        /// The refused token that caused the last new reading, and when.
        var refused: (token: String, at: ContinuousClock.Instant)?
        /// The fingerprint of the token that was read last; nil inside when there was none.
        var fingerprint: TokenFingerprint??
    }

    /// The reading that all requests share; a new one after a failure.
    private func reading() -> Task<String?, any Error> {
        state.withLock { state in
            if let reading = state.reading { return reading }
            let reading = newReading()
            state.reading = reading
            return reading
        }
    }

    /// The reading to use after the server refused a token. All requests refused with the same token share one new
    /// reading.
    private func reading(after refused: String) async throws -> Task<String?, any Error> {
        let current = reading()
        guard try await current.value == refused else { return current }
        return state.withLock { state in
            // Another request may have started one meanwhile.
            guard state.reading == current else { return state.reading ?? current }
            if let last = state.refused, last.token == refused, .now < last.at + pause { return current }
            let reading = newReading()
            state.reading = reading
            state.refused = (refused, .now)
            return reading
        }
    }

    private func newReading() -> Task<String?, any Error> {
        Task {
            do {
                let token = try await provider.read()
                state.withLock { $0.fingerprint = .some(token.flatMap(scheme.fingerprint)) }
                return try token.map(checked)
            } catch {
                // A failure is thrown but not cached.
                state.withLock { $0.reading = nil }
                throw error
            }
        }
    }

    private func checked(_ token: String) throws -> String {
        guard !token.isEmpty, token.isVisibleASCII else {
            throw PatchbayError(
                .invalidConfiguration,
                "the token for \"\(origin)\" contains spaces, line breaks or other characters that no token may have"
            )
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
    /// The fingerprint that identifies a token's budgets when the token is sent in this way.
    package func fingerprint(_ token: String) -> TokenFingerprint? {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        return fingerprint(of: request.authorized(token, by: self))
    }

    /// The fingerprint of a request's token; nil without a token.
    func fingerprint(of request: HTTPRequest) -> TokenFingerprint? {
        let credential = request.credential(sentAs: self)
        return if case .query = self {
            credential.map { TokenFingerprint($0) }
        } else {
            TokenFingerprint(authorization: credential)
        }
    }
}

extension HTTPRequest {
    /// The value of the header field or, decoded, of the query parameter in which the scheme sends a token.
    ///
    /// A placeholder in a query does not count, because it comes from a link in an answer of which ``Redaction`` has
    /// removed the token.
    func credential(sentAs scheme: Authorization.Scheme) -> String? {
        switch scheme {
        case .bearer, .basic: headerFields[.authorization]
        case .header(let name, _): HTTPField.Name(name).flatMap { headerFields[$0] }
        case .query(let name):
            queryItems.lazy.compactMap { $0.value(of: name) }.first { $0 != SecretNames.placeholder }
        }
    }

    private var queryItems: [Substring] {
        (path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
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
            request.headerFields[name] = (prefix ?? "") + token
        case .query(let name):
            let item = "\(PercentEncoding.segment(name))=\(PercentEncoding.segment(token))"
            let items = queryItems.filter { $0.value(of: name) == nil } + [item[...]]
            request.path = "\((path ?? "/").prefix { $0 != "?" })?\(items.joined(separator: "&"))"
        }
        return request
    }
}

extension Substring {
    /// Returns the decoded value of a query item with this name; nil for another item.
    fileprivate func value(of name: String) -> String? {
        let written = prefix { $0 != "=" }
        guard written.endIndex < endIndex, PercentEncoding.decoded(written) == name else { return nil }
        return PercentEncoding.decoded(self[written.endIndex...].dropFirst())
    }
}

/// The origin of a token: a value, an environment variable or a command.
package struct TokenProvider: Sendable {
    let read: @Sendable () async throws -> String?

    /// - Parameter read: called once before the first request, and once more when the server refuses the token. Nil
    ///   sends requests without a token.
    package init(_ read: @escaping @Sendable () async throws -> String?) { self.read = read }

    /// Returns a provider of a constant token.
    package static func value(_ token: String) -> TokenProvider { TokenProvider { token } }
}
