/// The names of fields and parameters that contain secrets.
///
/// A recorder omits their values, a replay does not require them, and messages do not show them.
package enum SecretNames {
    /// The text in place of a secret, which needs no escaping in JSON, headers and addresses.
    package static let placeholder = "REDACTED"

    /// Whether a query item or form parameter with this name, in any case, contains a secret.
    package static func isSecret(parameter name: some StringProtocol) -> Bool {
        parameters.contains(name.lowercased())
    }

    /// Whether the value of a query item or form parameter with this name, in any case, should not be shown. This
    /// includes more names than those of known secrets.
    package static func mayBeSecret(parameter name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return isSecret(parameter: name) || suspiciousNames.contains(name) || isOfLogin(parameter: name)
            || suspiciousWords.contains { name.contains($0) }
    }

    /// Whether a request with a parameter of this name, in any case, probably signs in or carries a session.
    package static func isOfLogin(parameter name: some StringProtocol) -> Bool {
        loginParameters.contains(name.lowercased())
    }

    /// Whether a member of a JSON object with this name, in any case and with or without underscores and hyphens,
    /// contains a secret. There are fewer such names than ``parameters``, because the `signature` of a commit is not a
    /// secret.
    package static func isSecret(member name: some StringProtocol) -> Bool {
        foldedMembers.contains(folded(name.lowercased()))
    }

    /// Whether the whole value of a header field with this name, in any case, is a secret.
    package static func isSecret(field name: some StringProtocol) -> Bool {
        fields.contains(name.lowercased())
    }

    /// Whether the value of a request's header field with this name, in any case, may be a secret. This includes more
    /// names than those of known secrets, because any field may carry credentials and a replay needs none of these. In
    /// answers, such a field may be a cursor.
    package static func mayBeSecret(field name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        // HTTP/2 has `:authority`, which is the host.
        if name.hasPrefix(":") { return false }
        return isSecret(field: name) || suspiciousFieldWords.contains { name.contains($0) }
    }

    /// The length of the longest name, in bytes.
    package static let bytesMax = 32

    /// Names of query items and form parameters, in lower case.
    package static let parameters: Set<String> = members.union([
        "apikey", "hapikey", "sig", "signature", "x-amz-credential",
        "x-amz-security-token",
        "x-amz-signature", "x-goog-credential", "x-goog-signature", "x-plex-token",
    ])

    /// An address for messages: without the user name and password before its host, and without the values of possible
    /// secrets in its query or in a database's `key = value` pairs. Any other text is returned unchanged.
    package static func cleaned(address text: String) -> String {
        let text = withoutPasswords(withoutUser(text))
        guard let start = text.firstIndex(where: { "?#".contains($0) }) else { return text }
        var output = String(text[..<start])
        var rest = text[start...]
        while let separator = rest.popFirst() {
            let item = rest.prefix { !"?&#;".contains($0) }
            let name = item.prefix { $0 != "=" }
            let isHidden =
                name.endIndex < item.endIndex && mayBeSecret(parameter: PercentEncoding.decoded(name))
            output += "\(separator)" + (isHidden ? "\(name)=\(placeholder)" : item)
            rest = rest[item.endIndex...]
        }
        return output
    }

    /// `name:password@` before a host may contain any character except a space.
    private static func withoutUser(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let before = text[..<at]
        if let scheme = before.firstRange(of: "://") {
            return text[..<scheme.upperBound] + placeholder + text[at...]
        }
        let isUser = before.contains(":") && !before.contains { "/ ".contains($0) }
        return isUser ? placeholder + text[at...] : text
    }

    /// `password=...` among other pairs; the value may be in single quotes.
    private static func withoutPasswords(_ text: String) -> String {
        guard !text.contains("://"), text.lowercased().contains("passw") else { return text }
        return text.replacing(/(?i)(\w*passw\w*\s*=\s*)('(\\.|[^'\\])*'?|\S+)/) { $0.output.1 + placeholder }
    }

    private static let suspiciousWords = [
        "authoriz", "client_id", "credential", "key", "oauth", "passw", "secret", "signature", "token",
    ]

    /// Whole names, which are parts of harmless ones.
    private static let suspiciousNames: Set<String> = ["auth", "passcode", "pat"]

    private static let suspiciousFieldWords = suspiciousWords + ["auth", "session"]

    private static let loginParameters: Set<String> = [
        "appid", "otp", "pass", "passphrase", "passwd", "password", "pin", "pwd", "sessionid", "sid",
    ]

    private static let members: Set<String> = [
        "access_token", "api_key", "api_secret", "auth_token", "authorization", "bot_token", "client_secret",
        "csrf_token", "id_token", "jwt", "oauth_token", "passphrase", "passwd", "password", "private_key",
        "private_token", "refresh_token", "secret", "secret_access_key", "secret_key", "session_token",
        "temp_clone_token", "token", "webhook_secret",
    ]

    private static let foldedMembers = Set(members.map(folded))

    private static func folded(_ name: String) -> String { name.filter { $0 != "_" && $0 != "-" } }

    private static let fields: Set<String> = [
        "authorization", "cookie", "private-token", "proxy-authorization", "set-cookie", "x-access-token",
        "x-amz-security-token", "x-api-key", "x-auth-key", "x-auth-token", "x-csrf-token",
        "x-github-otp", "x-gitlab-token", "x-goog-api-key", "x-session-token", "x-vault-token",
    ]
}
