import PatchbayCore
import PatchbayDomain

/// The spelling of addresses in a definition.
enum DraftPath {
    /// A path of parts that are always the same; empty without any.
    static func fixed(_ segments: some Sequence<String>) -> String {
        segments.map { "/" + $0 }.joined()
    }

    /// The parameters of a request as a query, without those that paging sets and those that may be secrets.
    ///
    /// - Parameter arguments: the words in braces that the address has already.
    static func query(
        _ sample: DraftSample, without names: Set<String>, _ arguments: inout DraftArguments
    ) -> String {
        let items = sample.parameters.filter { item in
            !item.name.isEmpty && !names.contains(item.name) && !mayBeSecret(item)
        }
        guard !items.isEmpty else { return "" }
        return "?"
            + items.map { name, value in
                let text =
                    argument(value).map { "{\(arguments.take($0, suffix: "-value"))}" }
                    ?? PercentEncoding.segment(value).replacing("%2A", with: "*")
                return PercentEncoding.segment(name).replacing("%5B", with: "[").replacing("%5D", with: "]")
                    .replacing("%2F", with: "/") + "=" + text
            }.joined(separator: "&")
    }

    /// The word in braces that is the whole value of a parameter; nil for another value, such as JSON.
    private static func argument(_ value: String) -> String? {
        let word = value.dropFirst().dropLast()
        let isWord = word.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"{}()\"':,".utf8.contains($0) }
        guard value.hasPrefix("{"), value.hasSuffix("}"), !word.isEmpty, isWord else { return nil }
        return DraftWords.name(String(word), other: "value")
    }

    /// Whether a parameter is left out because its value may be a secret. Its own name in braces, from a document, is
    /// not one unless the argument itself is the credential.
    static func mayBeSecret(_ item: (name: String, value: String)) -> Bool {
        guard item.value == "{\(item.name)}" else { return mayBeSecret(path: item.name) }
        return SecretNames.isSecret(parameter: item.name) || mayBeCredential(parameter: item.name)
    }

    /// Whether the value at a path in a JSON body, or a parameter's, may be a secret.
    private static func mayBeSecret(path: String) -> Bool {
        SecretNames.mayBeSecret(parameter: path)
            || path.split(separator: "/").contains { SecretNames.mayBeSecret(parameter: $0) }
    }

    /// Whether a variable with this name is probably the credential itself.
    static func mayBeCredential(_ name: String) -> Bool {
        let name = DraftWords.folded(name)
        return ["key", "token", "auth"].contains(name) || credentialEnds.contains(where: name.hasSuffix)
    }

    private static let credentialEnds = [
        "apikey", "accesskey", "authkey", "licensekey", "privatekey", "secretkey", "subscriptionkey",
        "accesstoken", "apitoken", "authtoken", "privatetoken", "sessiontoken", "usertoken", "password",
        "secret",
    ]

    /// Whether a parameter with this name is probably the credential itself. In a path, these keys may name a row, and
    /// `app_id` names a program.
    static func mayBeCredential(parameter name: String) -> Bool {
        let folded = DraftWords.folded(name)
        return mayBeCredential(name) || DraftWords.split(name) == ["appid"]
            || ["appkey", "clientkey", "userkey"].contains(where: folded.hasSuffix)
    }

    /// The parts with which every address begins, up to a setting and a version of the API, but without a resource.
    static func base(_ addresses: [[String]]) -> [String] {
        guard var common = addresses.first?.dropLast() else { return [] }
        for address in addresses {
            let count = zip(common, address.dropLast()).prefix { $0 == $1 }.count
            common = common.prefix(count)
        }
        let count = common.lastIndex(where: DraftSettings.isMarked).map { $0 + 1 } ?? 0
        return Array(common.prefix(count) + common.dropFirst(count).prefix(while: isVersion))
    }

    static func isVersion(_ segment: String) -> Bool {
        let text = segment.lowercased()
        let number = (text.hasPrefix("v") ? text.dropFirst() : text[...])
        return ["api", "rest", "wp-json"].contains(text)
            || !number.isEmpty && number.allSatisfy { $0.isNumber || $0 == "." }
    }

    /// A word for an API: `github` for `https://api.github.com`, `shop` for `https://shop.co.uk`.
    static func api(ofOrigin origin: String) -> String {
        let host = origin.drop { $0 != "/" }.dropFirst(2).prefix { $0 != ":" }
        guard !host.allSatisfy({ $0.isNumber || $0 == "." }), !host.hasPrefix("[") else { return "api" }
        let labels = host.split(separator: ".").filter { !["api", "www", "rest"].contains($0) }
        return String(labels.dropLast().last { !["co", "com"].contains($0) } ?? labels.first ?? "api")
    }
}

extension String {
    /// A path with the braces of variables, which an address encodes.
    var withBraces: String { replacing("%7B", with: "{").replacing("%7D", with: "}") }
}
