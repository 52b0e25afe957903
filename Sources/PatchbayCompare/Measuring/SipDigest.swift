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

    /// 16 hexadecimal digits; nil without any digests.
    var text: String? {
        guard count > 0 else { return nil }
        let digits = String(UInt64(truncatingIfNeeded: hash.finish()), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
