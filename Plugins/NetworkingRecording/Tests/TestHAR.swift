import HTTPTypes
import NetworkingRecording
import PatchbayCore

/// Builds HAR files for tests.
enum TestHAR {
    static func file(_ entries: String...) -> String {
        "{\"log\": {\"version\": \"1.2\", \"entries\": [\(entries.joined(separator: ",\n"))]}}"
    }

    static func entry(
        _ url: String, method: String = "GET", status: Int = 200, headers: [(String, String)] = [],
        body: String? = "[]", content: String = "", postData: String = "",
        sent: [(String, String)] = [], time: String = "2026-01-01T00:00:00Z"
    ) -> String {
        func pairs(_ fields: [(String, String)]) -> String {
            fields.map { "{\"name\": \(quoted($0.0)), \"value\": \(quoted($0.1))}" }.joined(separator: ", ")
        }
        let headers = pairs(headers)
        let text = body.map { ", \"text\": \(quoted($0))" } ?? ""
        let post = postData.isEmpty ? "" : ", \"postData\": \(postData)"
        return """
            {"startedDateTime": "\(time)", "time": 0,
             "request": {"method": "\(method)", "url": \(quoted(url)), "headers": [\(pairs(sent))]\(post)},
             "response": {"status": \(status), "statusText": "", "headers": [\(headers)],
               "content": {"mimeType": "application/json"\(text)\(content)}}}
            """
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// The root of the package.
let packageRoot = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

extension Recording {
    /// Returns a recording of entries. Keep the folder for as long as the recording is used.
    static func of(_ entries: String..., in folder: TestFolder) throws -> Recording {
        let text = "{\"log\": {\"entries\": [\(entries.joined(separator: ","))]}}"
        return try open(folder.write(text))
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
