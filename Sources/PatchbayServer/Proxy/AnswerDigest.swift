import PatchbayCore

/// Makes short names of texts: addresses, credentials.
///
/// They depend on a secret of the storage, so that nobody can choose credentials that have the name of others, and the
/// name of a token is of no use elsewhere (SipHash-2-4 with 128 bits).
struct AnswerDigest: Sendable {
    /// The bytes of the secret.
    static let secretBytes = 16

    private let key: SipHash

    init(secret: [UInt8]) {
        precondition(secret.count == Self.secretBytes, "the secret of the digests has another length")
        let words = [secret[..<8], secret[8...]].map { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
        key = SipHash(key0: words[0], key1: words[1])
    }

    func callAsFunction(_ texts: String...) -> UInt128 { digest(of: texts) }

    func digest(of texts: [String]) -> UInt128 {
        var hash = key
        for var text in texts {
            text.withUTF8 { unsafe hash.combine(counted: UnsafeRawBufferPointer($0).bytes) }
        }
        return hash.finish()
    }

    /// 32 hexadecimal digits.
    static func text(_ digest: UInt128) -> String {
        let digits = String(digest, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// Where the answers of an address are kept.
struct AnswerPlace: Hashable, Sendable {
    /// Of the path without its query: a change of what is there concerns all its queries.
    let path: UInt128
    /// Of path and query.
    let address: UInt128

    init(_ target: String, _ digest: AnswerDigest) {
        path = digest(String(target.prefix { $0 != "?" }))
        address = digest(target)
    }
}
