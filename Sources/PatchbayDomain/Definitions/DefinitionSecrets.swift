package import PatchbayCore

/// Finds secrets in a definition, because definitions are files that people share.
package enum DefinitionSecrets {
    /// Returns why a line must be changed, without its value; nil when it contains no secret.
    package static func problem(of entry: ConfigurationFile.Entry) -> String? {
        if entry.key.hasPrefix("header."),
            case let name = entry.key.dropFirst("header.".count), SecretNames.isSecret(field: name)
        {
            return "the header \(name) carries a secret, which a definition must not hold; "
                + "describe it with auth and set source.token"
        }
        if hasUser(entry.value) {
            return "the address contains a user name or a password; remove it, and set source.token"
        }
        if hasToken(entry.value) || hasSecretItem(entry.value) {
            return "the value looks like a secret, which a definition must not hold; set source.token instead"
        }
        return nil
    }

    /// Whether an address has `name:password@` before its host.
    private static func hasUser(_ value: String) -> Bool {
        // Almost no value has the byte, and bytes are looked for quickly: every command reads definitions.
        guard value.utf8.offset(where: { $0 == UInt8(ascii: "@") }) != nil else { return false }
        guard let start = value.firstRange(of: "://")?.upperBound else { return false }
        return value[start...].prefix { !"/?#".contains($0) }.contains("@")
    }

    /// Whether a query gives a value to a parameter for secrets: `?api_key=...`.
    private static func hasSecretItem(_ value: String) -> Bool {
        guard let start = value.utf8.offset(where: { $0 == UInt8(ascii: "?") }) else { return false }
        return Substring(value.utf8.dropFirst(start + 1)).split(separator: "&").contains { item in
            let parts = item.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && !parts[1].hasPrefix("{")
                && SecretNames.isSecret(parameter: PercentEncoding.decoded(parts[0]))
        }
    }

    /// The prefixes of tokens of well-known services.
    private static let beginnings = [
        "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxc-", "xoxd-",
        "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "sk-", "sk_live_", "rk_live_", "AKIA", "ASIA", "AIza",
        "eyJ",
        "pypi-AgE", "npm_", "SG.", "hf_",
    ]

    /// Words in a definition with digits and letters of both cases are shorter than this.
    private static let tokenBytesMin = 32

    /// The minimum number of bytes after a prefix.
    private static let restBytesMin = 12

    /// Compares bytes, and only in longer values, because this runs for every line of every definition.
    private static func hasToken(_ value: String) -> Bool {
        guard value.utf8.count > restBytesMin else { return false }
        // The digits of encoded characters would be a part of the words beside them.
        let bytes = Array((value.contains("%") ? PercentEncoding.decoded(value) : value).utf8)
        return bytes.split { !isTokenByte($0) }.contains { word in
            guard word.count > restBytesMin else { return false }
            let text = String(decoding: word, as: UTF8.self)
            if beginnings.contains(where: {
                word.count >= $0.utf8.count + restBytesMin && text.hasPrefix($0)
            }) {
                return true
            }
            return word.count >= tokenBytesMin && text.contains(where: \.isUppercase)
                && text.contains(where: \.isLowercase) && text.contains(where: \.isNumber)
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "_-.".utf8.contains(byte)
    }
}
