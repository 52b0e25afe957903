import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayTestKit

/// The root of the package.
let packageRoot = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

extension Recording {
    /// Returns a recording of entries. Keep the folder for as long as the recording is used.
    static func of(_ entries: String..., in folder: TestFolder) throws -> Recording {
        try open(folder.write(TestHAR.file(entries)))
    }

    func get(_ url: String, _ fields: HTTPFields = [:]) async throws -> Response {
        try await send(.get(url, fields), body: [])
    }

    /// Sends a form, if no other media type is given, and returns the answer's body.
    func post(
        _ url: String, _ body: String,
        _ mediaType: String = "application/x-www-form-urlencoded; charset=utf-8"
    ) async throws -> String {
        var request = HTTPRequest(url, method: .post)
        request.headerFields[.contentType] = mediaType
        return try await send(request, body: Array(body.utf8)).text
    }
}

extension HTTPRequest {
    static func get(_ url: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        var request = HTTPRequest(url)
        request.headerFields = fields
        return request
    }

    init(_ url: String, method: Method = .get) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        self.init(
            method: method, scheme: String(parts[0].dropLast()), authority: String(parts[2]),
            path: "/" + (parts.count > 3 ? parts[3] : ""))
    }
}

extension Response {
    var status: Int { head.status.code }
    var text: String { String(decoding: body, as: UTF8.self) }
}
