#if Live
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import PatchbayCore

extension HTTPClientRequest {
    init(_ request: HTTPRequest, body: [UInt8], to target: Target) {
        self.init(url: target.url)
        method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { headers.add(name: field.name.rawName, value: field.value) }
        if !headers.contains(name: "Accept-Encoding") {
            headers.add(name: "Accept-Encoding", value: ContentCoding.accepted)
        }
        if !body.isEmpty { self.body = .bytes(ByteBuffer(bytes: body)) }
    }
}

extension Response {
    /// Reads an answer to its end and decodes it; ``ResponseGuard`` enforces the limit of what arrives.
    init(reading answer: HTTPClientResponse, bytesMax: Int) async throws {
        var body: [UInt8] = []
        for try await part in answer.body { body.append(contentsOf: part.readableBytesView) }
        // A cancelled body ends like a complete one.
        try Task.checkCancellation()
        body = try ContentCoding.decoded(
            body, answer.headers[canonicalForm: "Content-Encoding"].map(String.init), bytesMax: bytesMax)
        self.init(
            head: HTTPResponse(
                status: HTTPResponse.Status(
                    code: Int(answer.status.code), reasonPhrase: answer.status.reasonPhrase),
                headerFields: HTTPFields(answer.headers)),
            body: body)
    }
}

extension HTTPFields {
    /// The header fields of an answer that apply to its decoded body.
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name), !HTTPFields.aboutTransfer.contains(name) else { continue }
            append(HTTPField(name: name, value: value))
        }
    }

    private static let aboutTransfer: Set<HTTPField.Name> = [
        .contentEncoding, .contentLength, .transferEncoding,
    ]
}

/// Thrown when the time for an exchange is over.
struct DeadlinePassed: Error {}

/// Runs `work` and cancels it when it takes longer than `limit`.
///
/// - Throws: ``DeadlinePassed``, any error of `work`, or `CancellationError` when the calling task was cancelled.
func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw DeadlinePassed()
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
#endif
