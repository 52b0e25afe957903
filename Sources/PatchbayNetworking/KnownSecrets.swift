package import HTTPTypes
package import PatchbayCore
import PatchbayJSON
import Synchronization

/// The secrets in requests: those that the configuration names, and the credentials of the source's recent requests.
///
/// The layers of a stack share one instance, so that none of them writes a secret that another one knows. Credentials
/// of forwarded requests are not remembered, because they may be any words of the source's rows.
package final class KnownSecrets: Sendable {
    /// The maximum number of request credentials that are remembered; the newest stay.
    package static let credentialsMax = 8

    private let configured: [String]
    private let schemes: [Authorization.Scheme]
    private let state: Mutex<State>

    private struct State {
        var credentials: [String] = []
        var filter: SecretFilter
    }

    /// - Parameters:
    ///   - secrets: texts that no answer may reveal, such as a token.
    ///   - schemes: how requests carry their credentials, besides the usual header fields.
    package init(_ secrets: [String] = [], schemes: [Authorization.Scheme] = [.bearer]) {
        configured = secrets
        self.schemes = schemes
        state = Mutex(State(filter: SecretFilter(secrets: secrets)))
    }

    /// A filter for these secrets and for everything that looks like one.
    package var filter: SecretFilter { state.withLock { $0.filter } }

    /// The configured secrets, without those of requests.
    var configuredOnly: KnownSecrets { KnownSecrets(configured) }

    /// The same filter, which also knows the credentials of one request.
    func filter(for request: HTTPRequest) -> SecretFilter {
        let (known, filter) = state.withLock { ($0.credentials, $0.filter) }
        let all = known + credentials(of: request).filter { !known.contains($0) }
        return all.count == known.count ? filter : self.filter(all)
    }

    /// Remembers the credentials of a request, because a later answer, even from another address, may contain them.
    func learn(from request: HTTPRequest) {
        let credentials = credentials(of: request)
        state.withLock { state in
            let new = credentials.filter { !state.credentials.contains($0) }
            guard !new.isEmpty else { return }
            state.credentials = (state.credentials + new).suffix(Self.credentialsMax)
            state.filter = filter(state.credentials)
        }
    }

    private func filter(_ credentials: [String]) -> SecretFilter {
        SecretFilter(secrets: configured + credentials.flatMap(KnownSecrets.secrets))
    }

    /// The credentials of a request, and the values of header fields that contain some after a scheme.
    private func credentials(of request: HTTPRequest) -> [String] {
        let fields = request.headerFields.filter { SecretNames.isSecret(field: $0.name.canonicalName) }
        return fields.map(\.value) + schemes.compactMap { request.credential(sentAs: $0) }
    }

    /// Returns the secrets in an `Authorization` field: the text after the scheme and, for `Basic`, the password.
    package static func secrets(in field: String) -> [String] {
        let parts = field.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return parts }
        guard parts[0].lowercased() == "basic", let decoded = Base64.decoded(Array(parts[1].utf8)) else {
            return [parts[1]]
        }
        let password = decoded.split(separator: UInt8(ascii: ":"), maxSplits: 1).last ?? []
        return [parts[1], String(decoding: password, as: UTF8.self)]
    }

    /// The password in an address such as `http://name:password@proxy:3128`; nil without one, and for a password of
    /// fewer than 8 bytes, which might occur in any answer.
    package static func password(inAddress text: String) -> String? {
        guard let at = text.lastIndex(of: "@") else { return nil }
        let start = text[..<at].firstRange(of: "://")?.upperBound ?? text.startIndex
        guard let colon = text[start..<at].firstIndex(of: ":") else { return nil }
        let written = Array(text[text.index(after: colon)..<at].utf8)
        var password: [UInt8] = []
        var index = 0
        while index < written.count {
            let byte = SpelledByte(in: written, at: index)
            password.append(byte.value)
            index = byte.end
        }
        guard password.count >= SecretSpellings.bytesMin else { return nil }
        return String(decoding: password, as: UTF8.self)
    }
}

/// Removes the secrets of requests from every answer, so that no layer above can print, log, record or store them.
///
/// The layer is next to the network. It searches names and values of header fields, the reason phrase and the body, and
/// replaces secrets by `REDACTED`. An answer without secrets is passed on unchanged.
package struct Redaction: NetworkingLayer {
    private let secrets: KnownSecrets
    /// Learns the credentials of requests; nil when answers may contain them.
    private let learning: KnownSecrets?

    /// - Parameter secrets: the secrets known so far; credentials of requests are added.
    package init(_ secrets: KnownSecrets) {
        self.secrets = secrets
        learning = secrets
    }

    /// Creates a layer for forwarded requests. Clients may receive the credentials they sent, so only configured
    /// secrets are removed.
    ///
    /// - Parameter secrets: only the configured ones are used.
    package init(configuredIn secrets: KnownSecrets) {
        self.secrets = secrets.configuredOnly
        learning = nil
    }

    /// Passes the request on, and returns the answer without secrets. Errors are passed on unchanged.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        learning?.learn(from: request)
        let response = try await next.send(request, body: body)
        return secrets.filter.withoutKnownSecrets(response)
    }
}
