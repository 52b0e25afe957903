public import HTTPTypes
public import PatchbayCore
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
    private let origin: String
    private let isSafe: Bool
    private let provider: TokenProvider
    private let state = Mutex(State())

    /// - Parameter baseURL: an address of the origin that gets the token, such as `https://api.github.com`.
    /// - Throws: `invalidConfiguration` when it is no http(s) address.
    public init(baseURL: String, token: TokenProvider) throws {
        guard let address = HTTPAddress(baseURL) else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(SecretNames.cleaned(address: baseURL))\" is no address; give one such as https://api.github.com"
            )
        }
        origin = address.origin
        isSafe = address.scheme == "https" || address.isLoopback
        provider = token
    }

    /// - Throws: `invalidConfiguration` when the token cannot stand in a header, or would go over plain http;
    ///   what the provider throws.
    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard request.headerFields[.authorization] == nil, HTTPAddress(of: request).origin == origin,
            let token = try await reading().value
        else { return try await next.send(request, body: body) }
        let response = try await next.send(request.authorized(token), body: body)
        guard response.head.status == .unauthorized, let newToken = try await reading(after: token).value,
            newToken != token
        else { return response }
        return try await next.send(request.authorized(newToken), body: body)
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

extension HTTPRequest {
    fileprivate func authorized(_ token: String) -> HTTPRequest {
        var request = self
        request.headerFields[.authorization] = "Bearer \(token)"
        return request
    }
}
