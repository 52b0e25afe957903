import BenchmarkRows
import PatchbayCore

/// What looking at every field gives; see `row_digest`. Reads add it up, so that no field can be left out.
extension BenchUser {
    var digest: UInt64 {
        var sum = Self.digest(login) &+ Self.digest(nodeID) &+ Self.digest(avatarURL) &+ Self.digest(htmlURL)
        sum &+= Self.digest(url) &+ Self.digest(type) &+ Self.digest(name) &+ Self.digest(company)
        sum &+= Self.digest(blog) &+ Self.digest(location) &+ Self.digest(email) &+ Self.digest(bio)
        sum &+= Self.digest(twitterUsername)
        let numbers =
            id &+ publicRepos &+ publicGists &+ followers &+ following &+ createdAt &+ updatedAt &+ fetchedAt
        return sum &+ UInt64(bitPattern: numbers) &+ (isSiteAdmin ? 1 : 0) &+ (isFavourite ? 1 : 0)
    }

    private static func digest(_ text: String?) -> UInt64 {
        let digest: UInt64?? = text?.utf8.withContiguousStorageIfAvailable { utf8 in
            utf8.isEmpty ? 0 : UInt64(utf8.count) &+ UInt64(utf8[0]) &+ UInt64(utf8[utf8.count - 1])
        }
        // Strings that were made from UTF-8 are contiguous.
        return (digest ?? 0) ?? 0
    }

    /// The same of a row in place.
    static func digest(_ row: borrowing Row) -> UInt64 {
        var sum: UInt64 = 0
        for position in 0..<Int(ROW_NUMBERS.rawValue) { sum &+= UInt64(bitPattern: row.integer(position)) }
        for position in Int(ROW_NUMBERS.rawValue)..<(Int(ROW_NUMBERS.rawValue) + Int(ROW_TEXTS.rawValue)) {
            let bytes = row.bytes(position)
            if bytes.isEmpty { continue }
            let first = bytes.unsafeLoad(fromUncheckedByteOffset: 0, as: UInt8.self)
            let last = bytes.unsafeLoad(fromUncheckedByteOffset: bytes.byteCount &- 1, as: UInt8.self)
            sum &+= UInt64(bytes.byteCount) &+ UInt64(first) &+ UInt64(last)
        }
        return sum
    }
}
