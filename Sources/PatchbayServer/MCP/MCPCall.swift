import HTTPTypes
import PatchbayCore
import PatchbayJSON
import Synchronization

/// The answer of an operation that was called inside the process.
struct MCPCall: Sendable {
    let body: JSONValue
    /// Nil if the answer does not come from a store.
    let provenance: Provenance?
    /// The token of the next page.
    let next: String?
}

/// Receives the answer of an operation with its provenance, which a client would read from header fields.
final class AnswerReceipt: Sendable {
    private let kept = Mutex<APIAnswer?>(nil)

    func keep(_ answer: APIAnswer) { kept.withLock { $0 = answer } }
    var answer: APIAnswer? { kept.withLock { $0 } }
}

extension API {
    /// Calls an operation inside the process.
    ///
    /// - Parameters:
    ///   - path: the segments after `/-/`.
    ///   - query: the parameters; those without a value are left out.
    ///   - body: the body of a `POST`.
    func call(
        _ path: [String], _ query: [(name: String, value: String?)] = [], body: JSONValue? = nil
    ) async throws -> MCPCall {
        let given = query.compactMap { pair in
            pair.value.map { PercentEncoding.segment(pair.name) + "=" + PercentEncoding.segment($0) }
        }
        let address = RequestTarget.prefix + path.map { PercentEncoding.segment($0) }.joined(separator: "/")
        var head = HTTPRequest(
            method: body == nil ? .get : .post, scheme: nil, authority: nil,
            path: given.isEmpty ? address : address + "?" + given.joined(separator: "&"))
        if body != nil { head.headerFields[.contentType] = MediaType.json.rawValue }
        let inside = ServerRequest.Connection(local: .unix(path: ""), remote: .unix(path: ""))
        let receipt = AnswerReceipt()
        let response = try await answer(
            ServerRequest(head: head, body: body?.line ?? [], connection: inside), receipt)
        guard case .whole(let bytes) = response.body else {
            throw PatchbayError(.internalError, "an operation answers with a stream")
        }
        let next = try receipt.answer?.next.map { try RequestTarget($0) }
        return MCPCall(
            body: try JSONValue(bytes), provenance: receipt.answer?.provenance,
            next: next?.query.first { $0.name == Parameter.after.name }?.value)
    }
}
