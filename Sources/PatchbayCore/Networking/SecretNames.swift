/// The names under which requests and answers carry secrets.
///
/// A recorder leaves their values out, a replay does not ask for them, messages do not show them.
public enum SecretNames {
    /// Whether a query item or form parameter of this name, in any case, holds a secret.
    public static func isSecret(parameter name: some StringProtocol) -> Bool {
        parameters.contains(name.lowercased())
    }

    /// Whether the value of a query item or form parameter of this name, in any case, is better not shown: more names
    /// than those of secrets that are known.
    public static func mayBeSecret(parameter name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return isSecret(parameter: name) || name == "auth" || suspiciousWords.contains { name.contains($0) }
    }

    /// Whether a member of a JSON object of this name holds a secret. Fewer than ``parameters``: a `signature`
    /// in a commit is none.
    public static func isSecret(member name: some StringProtocol) -> Bool {
        members.contains(name.lowercased())
    }

    /// Whether a header field of this name, in any case, is a secret as a whole.
    public static func isSecret(field name: some StringProtocol) -> Bool {
        fields.contains(name.lowercased())
    }

    /// The longest of all names, in bytes.
    public static let bytesMax = 32

    /// Names of query items and form parameters, in small letters.
    public static let parameters: Set<String> = members.union([
        "api_key", "apikey", "auth_token", "jwt", "passwd", "private_token", "secret", "sig", "signature",
        "x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-credential",
        "x-goog-signature",
    ])

    private static let suspiciousWords = [
        "authoriz", "client_id", "credential", "key", "oauth", "passw", "secret", "signature", "token",
    ]

    private static let members: Set<String> = [
        "access_token", "client_secret", "id_token", "oauth_token", "password", "private_key",
        "refresh_token", "token", "webhook_secret",
    ]

    private static let fields: Set<String> = [
        "authorization", "cookie", "private-token", "proxy-authorization", "set-cookie", "x-api-key",
        "x-amz-security-token", "x-auth-token", "x-csrf-token", "x-github-otp",
    ]
}
