package import HTTPTypes
package import PatchbayCore
import Synchronization

/// A network with scripted answers, which keeps the requests.
package final class ScriptedNetworking: Networking {
    private let answer: @Sendable (HTTPRequest, _ body: String, _ number: Int) throws -> Response
    private let kept = Mutex<[(request: HTTPRequest, body: String)]>([])

    /// - Parameter answer: called with the request, its body and the number of earlier requests.
    package init(
        _ answer: @escaping @Sendable (HTTPRequest, _ body: String, _ number: Int) throws -> Response
    ) {
        self.answer = answer
    }

    /// Returns the answers in order, then repeats the last one.
    package convenience init(_ first: Response, _ others: Response...) {
        let answers = [first] + others
        self.init { _, _, number in answers[min(number, answers.count - 1)] }
    }

    /// Gives the same answer to every request.
    package convenience init(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "[]") {
        self.init(Response(status, fields, body))
    }

    package var sent: [HTTPRequest] { kept.withLock { $0.map(\.request) } }
    package var bodies: [String] { kept.withLock { $0.map(\.body) } }
    package var paths: [String] { sent.map { $0.path ?? "" } }

    package func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let text = String(decoding: body, as: UTF8.self)
        let number = kept.withLock { kept in
            kept.append((request, text))
            return kept.count - 1
        }
        return try answer(request, text, number)
    }
}

extension Response {
    package init(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String) {
        var headerFields = HTTPFields()
        for (name, value) in fields {
            headerFields.append(HTTPField(name: HTTPField.Name(name)!, value: value))
        }
        self.init(
            head: HTTPResponse(status: .init(code: status), headerFields: headerFields),
            body: Array(body.utf8))
    }
}
