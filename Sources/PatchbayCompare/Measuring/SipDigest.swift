import PatchbayCore

/// A digest of a sequence of digests.
struct SipDigest: Sendable {
    private var hash = SipHash()
    private var count = 0

    mutating func combine(_ digest: UInt64?) {
        guard let digest else { return }
        hash.combine(digest)
        count += 1
    }

    /// Nil without any digests.
    var value: UInt64? { count > 0 ? UInt64(truncatingIfNeeded: hash.finish()) : nil }

    /// The value in 16 hexadecimal digits.
    var text: String? { value?.hexadecimal }
}
