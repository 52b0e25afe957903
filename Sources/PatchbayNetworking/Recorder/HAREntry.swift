import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// One exchange as an element of `log.entries` (HAR 1.2), without secrets.
struct HAREntry {
    /// Larger bodies are left out; their size is recorded.
    static let bodyBytesMax = 64 << 20

    let request: HTTPRequest
    let requestBody: [UInt8]
    let response: Response
    let startedAt: Timestamp
    let duration: Duration
    let secrets: SecretFilter

    /// The text before the entries of a new file.
    static var fileHead: [UInt8] {
        let creator = #""creator":{"name":"patchbay","version":"\#(PatchbayVersion.current)"}"#
        return Array(#"{"log":{"version":"1.2",\#(creator),"pages":[],"entries":["#.utf8)
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("startedDateTime")
        writer.string(startedAt.description)
        writer.key("time")
        writer.real(milliseconds)
        writer.key("request")
        writeRequest(to: &writer)
        writer.key("response")
        writeResponse(to: &writer)
        writer.key("cache")
        writer.beginObject()
        writer.endObject()
        writer.key("timings")
        writeTimings(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private var milliseconds: Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) * 1_000 + Double(attoseconds / 1_000_000_000_000) / 1_000
    }

    private func writeRequest(to writer: inout JSONWriter) {
        let url = secrets.cleaned(HTTPAddress(of: request).text)
        writer.beginObject()
        writer.member("method", request.method.rawValue)
        writer.member("url", url)
        let fields = secrets.cleaned(request.headerFields, where: SecretNames.mayBeSecret(field:))
        writeCommon(fields, bodyBytes: requestBody.count, to: &writer)
        writer.key("queryString")
        writer.beginArray()
        if let query = url.firstIndex(of: "?") {
            for item in url[query...].dropFirst().split(separator: "&") {
                let name = item.prefix { $0 != "=" }
                writer.pair(String(name), String(item[name.endIndex...].dropFirst()))
            }
        }
        writer.endArray()
        if !requestBody.isEmpty { writePostData(to: &writer) }
        writer.endObject()
    }

    /// A binary request body loses its invalid bytes, because HAR cannot represent them.
    private func writePostData(to writer: inout JSONWriter) {
        let type = request.headerFields[.contentType] ?? ""
        let body = secrets.cleaned(requestBody, mediaType: type)
        writer.key("postData")
        writer.beginObject()
        writer.member("mimeType", secrets.cleaned(type))
        writer.key("text")
        writer.string(utf8: body.span.bytes)
        writer.endObject()
    }

    private func writeResponse(to writer: inout JSONWriter) {
        let fields = secrets.cleaned(response.head.headerFields)
        writer.beginObject()
        writer.key("status")
        writer.integer(Int64(response.head.status.code))
        writer.member("statusText", secrets.cleaned(response.head.status.reasonPhrase))
        writeCommon(fields, bodyBytes: response.body.count, to: &writer)
        writer.member("redirectURL", fields[.location] ?? "")
        writer.key("content")
        writeContent(fields, to: &writer)
        writer.endObject()
    }

    private func writeContent(_ fields: HTTPFields, to writer: inout JSONWriter) {
        let isWhole = response.body.count <= HAREntry.bodyBytesMax
        let body = isWhole ? secrets.cleaned(response.body) : []
        writer.beginObject()
        writer.key("size")
        writer.integer(Int64(isWhole ? body.count : response.body.count))
        writer.member("mimeType", fields[.contentType] ?? "")
        if isWhole, request.method != .head {
            writer.key("text")
            let isText = String(validating: body, as: UTF8.self) != nil
            let text = isText ? body : Base64.encoded(body)
            writer.string(utf8: text.span.bytes)
            if !isText { writer.member("encoding", "base64") }
        }
        writer.endObject()
    }

    private func writeCommon(_ fields: HTTPFields, bodyBytes: Int, to writer: inout JSONWriter) {
        writer.member("httpVersion", "HTTP/1.1")
        writer.key("cookies")
        writer.beginArray()
        writer.endArray()
        writer.key("headers")
        writer.beginArray()
        for field in fields { writer.pair(field.name.rawName, field.value) }
        writer.endArray()
        writer.key("headersSize")
        writer.integer(-1)
        writer.key("bodySize")
        writer.integer(Int64(bodyBytes))
    }

    private func writeTimings(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("send")
        writer.integer(0)
        writer.key("wait")
        writer.real(milliseconds)
        writer.key("receive")
        writer.integer(0)
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    fileprivate mutating func pair(_ name: String, _ value: String) {
        beginObject()
        member("name", name)
        member("value", value)
        endObject()
    }
}
