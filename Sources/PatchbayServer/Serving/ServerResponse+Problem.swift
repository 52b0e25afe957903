public import HTTPTypes
public import PatchbayCore
import PatchbayJSON

extension ServerResponse {
    /// An answer that reports a problem as RFC 9457 has it.
    ///
    /// - Parameters:
    ///   - detail: what happened, to what, and what to do; never a secret.
    ///   - code: the code of Docs/Errors.md, where there is one.
    ///   - fields: header fields that belong to the status, such as `Allow`.
    public static func problem(
        _ status: HTTPResponse.Status, _ detail: String, code: PatchbayError.Code? = nil,
        _ fields: HTTPFields = [:]
    ) -> ServerResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.string("about:blank")
        writer.key("title")
        writer.string(status.reasonPhrase)
        writer.key("status")
        writer.integer(Int64(status.code))
        writer.key("detail")
        writer.string(detail)
        if let code {
            writer.key("code")
            writer.string(code.rawValue)
        }
        writer.endObject()
        writer.newline()
        var fields = fields
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        return ServerResponse(
            head: HTTPResponse(status: status, headerFields: fields), body: .whole(writer.bytes))
    }
}
