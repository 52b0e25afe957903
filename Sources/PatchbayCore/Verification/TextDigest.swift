/// A text as a number of 128 bits (SipHash-2-4 of its UTF-8), the same in every run. It represents a text that is too
/// long for a key.
///
/// It does not protect against deliberate collisions.
public struct TextDigest: Hashable, Sendable {
    /// The 128 bits of the digest.
    public let value: UInt128

    /// Computes the digest of a text of any length.
    public init(of text: String) {
        var hash = SipHash()
        let utf8 = Array(text.utf8)
        hash.combine(counted: utf8.span.bytes)
        value = hash.finish()
    }
}

extension TextDigest: CustomStringConvertible {
    /// 32 hexadecimal digits.
    public var description: String { value.hexadecimal }
}
