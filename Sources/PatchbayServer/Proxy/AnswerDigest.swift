import HTTPTypes
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

/// The place of the answers of an address that belong to one client. Answers of other clients are in other places, so
/// that no lookup can find them.
struct AnswerPlace: Hashable, Sendable {
    /// The digest of the path without its query, because a change affects the answers to all queries and clients.
    let path: UInt128
    /// The digest of path, query and ``AnswerOwner/client``.
    let address: UInt128
    /// ``AnswerOwner/partition``.
    let partition: UInt128

    /// - Parameter path: the target without its query; nil when it has none.
    init(_ target: String, path: String?, of owner: AnswerOwner, _ digest: AnswerDigest) {
        let whole = digest(target)
        self.path = path.map { digest($0) } ?? whole
        address = whole ^ owner.client
        partition = owner.partition
    }

    init(path: UInt128, address: UInt128, partition: UInt128) {
        self.path = path
        self.address = address
        self.partition = partition
    }

    /// The digests are random already, so parts of two of them suffice.
    func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: address))
        hasher.combine(UInt64(truncatingIfNeeded: partition))
    }

    /// Returns the name of an answer within its address. It begins with the ``partitionName``.
    func variant(_ selecting: [StoredAnswer.Selecting], _ digest: AnswerDigest) -> UInt128 {
        let texts = selecting.flatMap { [$0.name.canonicalName, $0.value.map { "=" + $0 } ?? ""] }
        let low: UInt128 = (1 << 64) - 1
        return partition & ~low | digest.digest(of: texts) & low
    }

    /// The beginning of the names of all answers of the partition, as stored.
    var partitionName: String { UInt64(truncatingIfNeeded: partition >> 64).hexadecimal }
}
