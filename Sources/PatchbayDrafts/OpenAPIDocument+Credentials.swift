import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads how requests are authorised.
extension OpenAPIDocument {
    /// The first way to send credentials that a definition can express: the one that most of the document's lists
    /// require, else the first.
    var declaredAuthorization: Definition.Authorization? {
        let schemes = schemes
        var counts: [String: Int] = [:]
        for (_, item) in paths {
            for name in Set((requirements(of: item) ?? []).flatMap(\.members).map(\.name)) {
                counts[name, default: 0] += 1
            }
        }
        let everywhere = (root["security"]?.elements ?? []).flatMap(\.members).map(\.name)
        let ranked = schemes.ordered { name, _ in
            [-(counts[name] ?? 0), everywhere.firstIndex(of: name) ?? everywhere.count]
        }
        return ranked.lazy.compactMap { OpenAPIDocument.authorization(resolved($0.value)) }.first
    }

    /// The secret that the document requires beside another one for most of its lists; nil when it requires one.
    func secondAuthorization(beside first: Definition.Authorization?) -> Definition.Authorization? {
        guard let first else { return nil }
        let all = paths.compactMap { requirements(of: $0.value) }.filter { !$0.isEmpty }
        var counts: [Definition.Authorization: Int] = [:]
        for requirements in all {
            let together = requirements.lazy.map { requirement in
                requirement.members.compactMap { name, _ in
                    schemes.first { $0.name == name }.flatMap {
                        OpenAPIDocument.authorization(resolved($0.value))
                    }
                }
            }.first { $0.count == 2 && $0.contains(first) }
            for second in together ?? [] where second.place != first.place { counts[second, default: 0] += 1 }
        }
        let most = counts.max { $0.value < $1.value }
        return most.flatMap { $0.value * 2 > all.count ? $0.key : nil }
    }

    private var schemes: [(name: String, value: JSONValue)] {
        (isSwagger ? root["securityDefinitions"] : root["components"]?["securitySchemes"])?.members ?? []
    }

    /// The alternatives of a list, which override those of the document; nil for an address without a list.
    private func requirements(of item: JSONValue) -> [JSONValue]? {
        guard let get = resolved(item)["get"].map(resolved) else { return nil }
        return (get["security"] ?? root["security"])?.elements ?? []
    }

    private static func authorization(_ scheme: JSONValue) -> Definition.Authorization? {
        let name = scheme["name"]?.word ?? ""
        let found: Definition.Authorization? =
            switch (scheme["type"]?.word, scheme["scheme"]?.word?.lowercased(), scheme["in"]?.word) {
            case ("http", "bearer", _), ("oauth2", _, _), ("openIdConnect", _, _): .bearer
            case ("http", "basic", _), ("basic", _, _): .basic
            case ("apiKey", _, "header"): described(name, scheme["description"]?.word ?? "")
            case ("apiKey", _, "query"): .query(name: name)
            default: nil
            }
        return found.flatMap(spelled)
    }

    /// A header of whose value only the words of a document show what comes before the token.
    private static func described(_ name: String, _ text: String) -> Definition.Authorization {
        guard name.lowercased() == "authorization" else {
            return .header(name: name, prefix: statedPrefix(in: text, of: name))
        }
        if text.lowercased().contains("bearer") { return .bearer }
        // The word "Token", followed by the token.
        if let word = text.firstMatch(of: /["'`]([A-Za-z][\w-]*)["'`],? followed by/)?.output.1 {
            return .header(name: name, prefix: "\(word) ")
        }
        guard let prefix = prefix(in: text) else { return .header(name: name, prefix: nil) }
        return prefix == "Basic " ? .basic : .header(name: name, prefix: prefix)
    }

    /// The word before the secret in a header with another name, which only clear words show: "prefixed with api-key",
    /// "X-Key: Token <key>".
    private static func statedPrefix(in text: String, of name: String) -> String? {
        let words =
            /(?i)\bprefix(?:ed)? (?:with|by|of|is)\s+(?:the (?:word|string|text)\s+)?["'`]?([a-z][\w-]*)/
        let example = /([\w-]+)\s*[:=]\s*["'`]?([A-Za-z][\w-]*)\s+["']?[<{\[$]+\w/
        let stated = text.firstMatch(of: words).map { String($0.output.1) }
        let shown = text.matches(of: example).first { $0.output.1.lowercased() == name.lowercased() }
        let found = stated.flatMap {
            ["a", "an", "its", "the", "this", "your"].contains($0.lowercased()) ? nil : $0
        }
        return (found ?? shown.map { String($0.output.2) }).map { $0 + " " }
    }

    /// What an example in a text has before the token: `Token token=` in "sent as `Token token=KEY`".
    private static func prefix(in text: String) -> String? {
        let value =
            /(?:[Aa]uthorization["'`]?\s*[:=]\s*["'`]?|["'`])([A-Za-z][\w-]*\s+(?:[a-z_]+=)?)["'<{\[$]*\w/
        return text.firstMatch(of: value).map { String($0.output.1).replacing(/\s+/, with: " ") }
    }

    /// Nil for a way that a definition cannot express.
    private static func spelled(_ authorization: Definition.Authorization) -> Definition.Authorization? {
        // A name with spaces has no spelling.
        let read = try? Definition.Authorization(described: authorization.words)
        return read == authorization && DraftText.line("auth", authorization.words) != nil ? read : nil
    }

    /// A header with credentials that is declared as a parameter. The value of its example is discarded.
    var authorizationHeader: Definition.Authorization? {
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
