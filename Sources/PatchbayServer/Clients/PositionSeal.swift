import PatchbayCore
import PatchbayJSON

/// Makes a text unreadable for the client that keeps it and sends it back, always in the same way, so that it stays
/// valid after a restart and equal texts stay equal.
///
/// The first bytes are a keyed digest of the text, from which the rest is encrypted. The key is made of the client's
/// token.
struct PositionSeal: Sendable {
    private let key0: UInt64, key1: UInt64
    private static let digestBytes = 8
    /// Texts are filled with spaces to a multiple of this length, which would show how long their numbers are.
    private static let blockBytes = 128

    init(_ token: String) {
        (key0, key1) = (UInt64(digestOf: "position 0 \(token)"), UInt64(digestOf: "position 1 \(token)"))
    }

    func text(of text: String) -> String {
        var bytes = Array(text.utf8)
        bytes += Array(repeating: UInt8(ascii: " "), count: (-bytes.count) & (Self.blockBytes - 1))
        let digest = digest(of: bytes)
        return Base64.addressText(digest.bytes + encrypted(bytes, digest))
    }

    /// Nil for a text that this seal did not make.
    func opened(_ text: String) -> String? {
        guard let bytes = Base64.bytes(ofAddressText: text), bytes.count > Self.digestBytes else {
            return nil
        }
        var digest: UInt64 = 0
        for byte in bytes.prefix(Self.digestBytes).reversed() { digest = digest << 8 | UInt64(byte) }
        let opened = encrypted(Array(bytes.dropFirst(Self.digestBytes)), digest)
        guard self.digest(of: opened) == digest else { return nil }
        return String(validating: opened.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }

    private func digest(of bytes: [UInt8]) -> UInt64 {
        var hash = SipHash(key0: key0, key1: key1)
        hash.combine(counted: bytes.span.bytes)
        return UInt64(truncatingIfNeeded: hash.finish())
    }

    /// Combines the bytes with a stream that depends on the key and the digest; a second time decrypts them.
    private func encrypted(_ bytes: [UInt8], _ digest: UInt64) -> [UInt8] {
        var stream: [UInt8] = [], block: UInt64 = 0
        while stream.count < bytes.count {
            var hash = SipHash(key0: key1, key1: key0)
            hash.combine(digest)
            hash.combine(block)
            stream += UInt64(truncatingIfNeeded: hash.finish()).bytes
            block += 1
        }
        return zip(bytes, stream).map { $0 ^ $1 }
    }
}

extension UInt64 {
    fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(8 * $0)) } }
}
