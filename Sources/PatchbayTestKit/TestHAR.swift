/// Recordings as texts of HAR.
package enum TestHAR {
    /// A recording of ``entry(_:method:status:headers:body:content:postData:sent:time:)`` or of other entries.
    package static func file(_ entries: [String]) -> String {
        "{\"log\": {\"version\": \"1.2\", \"entries\": [\(entries.joined(separator: ",\n"))]}}"
    }

    package static func file(_ entries: String...) -> String { file(entries) }

    /// An exchange.
    ///
    /// - Parameters:
    ///   - headers: the fields of the answer.
    ///   - body: the answer's body; nil if it was not recorded.
    ///   - content: further members of `response.content`.
    ///   - postData: the member of the request, as JSON.
    ///   - sent: the fields of the request.
    package static func entry(
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

    /// The member `postData` of a request with a body.
    package static func posted(_ text: String, _ mediaType: String = "application/json") -> String {
        "{\"mimeType\": \(quoted(mediaType)), \"text\": \(quoted(text))}"
    }

    /// A text as JSON.
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\u{1B}": quoted += "\\u001b"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
