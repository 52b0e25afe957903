/// Ten hexadecimal digits that identify a token in budgets, logs and statistics.
///
/// They are 40 bits of FNV-1a (RFC 9923). A cryptographic hash is not needed: a token is random text of a hundred bits
/// or more, and 40 bits of any function of it do not help to find the rest. Two tokens have the same fingerprint by
/// chance once in 10^12. Never compute one from a password that a person chose.
package struct TokenFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The ten digits, in lower case.
    package let description: String

    /// Computes the fingerprint of a token alone, without a scheme such as `Bearer`.
    package init(_ token: some StringProtocol) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in token.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let digits = String((hash ^ (hash >> 40)) & 0xFF_FFFF_FFFF, radix: 16)
        description = String(repeating: "0", count: 10 - digits.utf8.count) + digits
    }

    /// The fingerprint of the credentials in an `Authorization` field, whatever its scheme: `Bearer x` and `token x`
    /// have the same one. Nil without the field.
    package init?(authorization: String?) {
        guard let authorization, !authorization.isEmpty else { return nil }
        let afterScheme = authorization.drop { $0 != " " }.drop { $0 == " " }
        self.init(afterScheme.isEmpty ? authorization[...] : afterScheme)
    }
}
