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
        if !body.isEmpty { self.body = .bytes(ByteBuffer(bytes: body)) }
    }
}

extension Response {
    /// Reads an answer to its end; ``ResponseGuard`` enforces the limit of the body.
    init(reading answer: HTTPClientResponse) async throws {
        var body: [UInt8] = []
        for try await part in answer.body { body.append(contentsOf: part.readableBytesView) }
        // A cancelled body ends like a complete one.
        try Task.checkCancellation()
        self.init(
            head: HTTPResponse(
                status: HTTPResponse.Status(
                    code: Int(answer.status.code), reasonPhrase: answer.status.reasonPhrase),
                headerFields: HTTPFields(answer.headers)),
            body: body)
    }
}

extension HTTPFields {
    /// The header fields of an answer that apply to its inflated body.
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
#endif
