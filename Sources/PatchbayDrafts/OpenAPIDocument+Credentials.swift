import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads how requests are authorised.
extension OpenAPIDocument {
    /// The first way to send credentials that a definition can express: one that the document requires everywhere, else
    /// the one that most of its lists require, else the first.
    var authorization: Definition.Authorization? {
        let schemes =
            (isSwagger ? root["securityDefinitions"] : root["components"]?["securitySchemes"])?.members ?? []
        var counts: [String: Int] = [:]
        for (_, item) in paths {
            let requirements = resolved(item)["get"].map(resolved)?["security"]?.elements ?? []
            for name in Set(requirements.flatMap(\.members).map(\.name)) { counts[name, default: 0] += 1 }
        }
        let everywhere = (root["security"]?.elements ?? []).flatMap(\.members).map(\.name)
        let ranked = schemes.ordered { name, _ in
            [everywhere.firstIndex(of: name) ?? everywhere.count, -(counts[name] ?? 0)]
        }
        return ranked.lazy.compactMap { OpenAPIDocument.authorization(resolved($0.value)) }.first
            ?? authorizationHeader
    }

    private static func authorization(_ scheme: JSONValue) -> Definition.Authorization? {
        let name = scheme["name"]?.word ?? ""
        let found: Definition.Authorization? =
            switch (scheme["type"]?.word, scheme["scheme"]?.word?.lowercased(), scheme["in"]?.word) {
            case ("http", "bearer", _), ("oauth2", _, _), ("openIdConnect", _, _): .bearer
            case ("http", "basic", _), ("basic", _, _): .basic
            case ("apiKey", _, "header"):
                // Documents often declare a bearer token this way.
                name.lowercased() == "authorization"
                    && (scheme["description"]?.word ?? "").lowercased().contains("bearer")
                    ? .bearer : .header(name: name, prefix: nil)
            case ("apiKey", _, "query"): .query(name: name)
            default: nil
            }
        return found.flatMap(spelled)
    }

    /// Nil for a way that a definition cannot express.
    private static func spelled(_ authorization: Definition.Authorization) -> Definition.Authorization? {
        // A name with spaces has no spelling.
        let read = try? Definition.Authorization(described: authorization.words)
        return read == authorization && DraftText.line("auth", authorization.words) != nil ? read : nil
    }

    /// A header with credentials that is declared as a parameter. The value of its example is discarded.
    private var authorizationHeader: Definition.Authorization? {
        let headers = paths.flatMap { _, item in
            let item = resolved(item)
            return parameters(of: [item, item["get"].map(resolved) ?? .null], in: "header")
        }
        let known = headers.lazy.compactMap { header in
            let value = (header["example"] ?? header["schema"].map(resolved)?["example"])?.word ?? ""
            let isUsual = ["basic", "bearer", "token"].contains(value.prefix { $0 != " " }.lowercased())
            return Definition.Authorization(field: header["name"]?.word ?? "", value: isUsual ? value : "")
        }.first
        let other = headers.lazy.compactMap { $0["name"]?.word }.first { name in
            ["key", "token"].contains(DraftWords.split(name).last)
                && !name.lowercased().contains("idempotency")
        }
        let found = known ?? other.map { .header(name: $0, prefix: nil) }
        return found.flatMap { OpenAPIDocument.spelled($0) }
    }
}
