/// A text as a number of 128 bits (SipHash-2-4 of its UTF-8), the same in every run. It represents a text that is too
/// long for a key.
///
/// It does not protect against deliberate collisions.
package struct TextDigest: Hashable, Sendable {
    /// The 128 bits of the digest.
    package let value: UInt128

    /// Computes the digest of a text of any length.
    package init(of text: String) {
        var hash = SipHash()
        let utf8 = Array(text.utf8)
        hash.combine(counted: utf8.span.bytes)
        value = hash.finish()
    }
}

extension TextDigest: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { value.hexadecimal }
}
