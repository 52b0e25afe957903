import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceGitHub
import Synchronization

/// The partition of answers to requests without credentials.
let partition = scope()

/// The partition of answers.
func scope(
    _ server: String = "https://api.github.com", token: String = "anonymous", version: String = "2022-11-28",
    definition: String = SourceAPI.github.definition.fingerprint
) -> String { "\(server) \(token) application/vnd.github+json \(version) \(definition)" }

/// Gives the same answer to every request and keeps the requests.
final class ScriptedNetworking: Networking {
    private let answer: @Sendable (HTTPRequest) throws -> Response
    private let asked = Mutex<[HTTPRequest]>([])

    init(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "[]") {
        var headerFields = HTTPFields()
        for (name, value) in fields {
            headerFields.append(HTTPField(name: HTTPField.Name(name)!, value: value))
        }
        let response = Response(
            head: HTTPResponse(status: .init(code: status), headerFields: headerFields),
            body: Array(body.utf8))
        answer = { _ in response }
    }

    init(throwing error: PatchbayError) { answer = { _ in throw error } }

    init(_ answer: @escaping @Sendable (HTTPRequest) throws -> Response) { self.answer = answer }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        asked.withLock { $0.append(request) }
        return try answer(request)
    }

    var requests: [HTTPRequest] { asked.withLock { $0 } }

    /// The last request that was sent.
    var request: HTTPRequest? { asked.withLock { $0.last } }
}
