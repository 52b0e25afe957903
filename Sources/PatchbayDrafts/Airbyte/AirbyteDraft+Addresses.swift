import PatchbayCore
import PatchbayDomain

/// Writes the addresses of the server and of lists.
extension AirbyteDraft {
    /// Explains a server that does not exist.
    mutating func writeServer(_ server: AirbyteStream.Server, _ head: inout DraftText) {
        switch server {
        case .computed:
            head.comment(
                "The connector computes the server's name. Replace this one, which does not exist, before use, or "
                    + "set source.base-url.")
            summary.corrections.append("base-url, because the connector computes the server's name")
        case .setting(let name):
            let words = manifest.words(about: name).map { " (\(DraftWords.shown($0)))" } ?? ""
            head.comment(
                "The server is the connector's setting \(DraftWords.shown(name))\(words). Replace this one, which "
                    + "does not exist, by yours before use, or set source.base-url.")
            summary.corrections.append(
                "base-url, because the server is the connector's setting \(DraftWords.shown(name))")
        }
    }

    /// The path and the query of a list's address, in each of which the manifest may have a query.
    static func template(
        _ stream: AirbyteStream, _ parameters: [(name: String, value: String)]
    ) -> String {
        let base = HTTPAddress(stream.url)
        var address = base.map { String($0.pathOnly) } ?? ""
        if address.hasSuffix("/") { address.removeLast() }
        let path = stream.path.prefix { $0 != "?" }, query = stream.path.dropFirst(path.count + 1)
        if !path.isEmpty { address += (path.hasPrefix("/") ? "" : "/") + path }
        let own = parameters.map { "\(PercentEncoding.segment($0.name))=\($0.value)" }
            .joined(separator: "&").replacing("%5B", with: "[").replacing("%5D", with: "]")
            .replacing("%2F", with: "/")
        let written = [base.map { String($0.query) } ?? "", String(query)].filter { !$0.isEmpty }
            .joined(separator: "&")
        let items = written.split(separator: "&")
        let others = own.split(separator: "&").filter { !items.contains($0) }
        let all = (items + others).joined(separator: "&")
        let template = (address.isEmpty ? "/" : address) + (all.isEmpty ? "" : "?" + all)
        return DraftSettings.written(template, stream.settings)
    }

    /// The field of the parent to whose rows a stream belongs, in braces, and its type.
    func owner(of stream: AirbyteStream) -> (type: ValueType, text: String)? {
        guard let parent = stream.parent, let other = streams.first(where: { $0.original == parent.stream }),
            let table = fields[parent.stream], let field = table.names[parent.path]
        else { return nil }
        return (table.types[parent.path] ?? .text, "{\(other.name).\(field)}")
    }

    /// The field of the parent with the row or the argument to which the parent's row belongs, in braces.
    func outerOwner(of stream: AirbyteStream) -> (type: ValueType, text: String, name: String)? {
        guard let parent = stream.parent, let other = streams.first(where: { $0.original == parent.stream }),
            let field = ownerFields[parent.stream]
        else { return nil }
        return (field.type, "{\(other.name).\(field.name)}", field.name)
    }
}
