import PatchbayCore

/// Computes digests of texts such as addresses and credentials.
///
/// Digests depend on a secret of the storage (SipHash-2-4, 128 bits). So a client cannot choose credentials with the
/// digest of others, and the digest of a token is useless elsewhere.
struct AnswerDigest: Sendable {
    /// The length of the secret, in bytes.
    static let secretBytes = 16

    private let key: SipHash

    init(secret: [UInt8]) {
        precondition(secret.count == Self.secretBytes, "the secret must have 16 bytes")
        let words = [secret[..<8], secret[8...]].map { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
        key = SipHash(key0: words[0], key1: words[1])
    }

    func callAsFunction(_ text: String) -> UInt128 { digest(of: CollectionOfOne(text)) }

    func digest(of texts: some Sequence<String>) -> UInt128 {
        var hash = key
        for var text in texts {
            text.withUTF8 { unsafe hash.combine(counted: UnsafeRawBufferPointer($0).bytes) }
        }
        return hash.finish()
    }
}

/// The place of an address' answers in the cache.
struct AnswerPlace: Hashable, Sendable {
    /// The digest of the path without its query, because a change affects the answers to all queries.
    let path: UInt128
    /// The digest of path and query.
    let address: UInt128

    init(_ target: String, _ digest: AnswerDigest) {
        address = digest(target)
        let query = target.utf8.offset { $0 == UInt8(ascii: "?") }
        path = query.map { digest(String(Substring(target.utf8.prefix($0)))) } ?? address
    }
}
