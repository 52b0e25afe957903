package import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// A place in the feed of changes of a storage: a reader continues after it.
///
/// Its text consists of letters, digits, hyphens and underscores. It names the storage's incarnation, the stretch of
/// its life in which each change number was given once, so that a position from another storage, or from one whose last
/// commits were lost, is recognised. It also names the resources that were read, because the reader does not know the
/// earlier changes of others.
public struct ChangePosition: Hashable, Sendable {
    /// The incarnation that gave ``number``; empty for a storage that has not given any.
    let incarnation: String
    /// The number of the last change that was read; nil for rows without a number, which precede all others.
    let number: Int64?
    /// The last row that was read of those with ``number``; nil when all of them were.
    let row: Row?
    /// Digests of the resources whose changes were read, in ascending order; nil if that does not matter.
    let resources: [UInt32]?

    /// A place among the changes of one transaction, which are in the order of their collections and keys.
    struct Row: Hashable {
        let collection: String
        /// Nil for the clearing of the collection, which precedes its rows.
        let key: KeyText?
    }

    init(incarnation: String, number: Int64?, row: Row? = nil, of resources: [UInt32]? = nil) {
        self.incarnation = incarnation
        self.number = number
        self.row = row
        self.resources = resources?.isEmpty == true ? nil : resources
    }

    /// The position after all changes of a storage.
    package init(endOf incarnation: Incarnation?) {
        self.init(incarnation: incarnation?.id ?? "", number: incarnation?.last ?? 0)
    }

    /// The position for a reader that keeps one for each resource.
    package var ofOneResource: ChangePosition {
        ChangePosition(incarnation: incarnation, number: number, row: row)
    }

    static func digests(of resources: [Resource]) -> [UInt32] {
        let digests = resources.map { resource in
            var hash = SipHash()
            hash.combine(counted: Array(resource.collection.name.utf8).span.bytes)
            return UInt32(truncatingIfNeeded: hash.finish()) & digestMask
        }
        return Set(digests).sorted()
    }

    fileprivate static let digestMask: UInt32 = 0xFF_FFFF
    fileprivate static let digestDigits = 6
}

extension ChangePosition: LosslessStringConvertible {
    /// The position as text, to be kept by a reader.
    public var description: String {
        var text = (incarnation.isEmpty ? Self.noIncarnation : incarnation) + "_"
        if let number { text += String(number) }
        guard resources != nil || row != nil else { return text }
        // Base64's alphabet for addresses contains the underscore, so only the last part may be written in it.
        text += "_" + (resources ?? []).map { UInt64($0).hexadecimal.suffix(Self.digestDigits) }.joined()
        if let row {
            let place = row.collection + (row.key.map { " " + $0.text } ?? "")
            text += "_" + Base64.addressText(Array(place.utf8))
        }
        return text
    }

    /// Reads a text that ``description`` wrote; nil for any other.
    public init?(_ text: String) {
        let parts = text.split(separator: "_", maxSplits: 3, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count >= 2, parts[0].utf8.count == Self.noIncarnation.utf8.count else { return nil }
        var resources: [UInt32] = [], digests = parts.count > 2 ? parts[2][...] : ""
        while !digests.isEmpty {
            guard let digest = UInt32(digests.prefix(Self.digestDigits), radix: 16) else { return nil }
            resources.append(digest)
            digests = digests.dropFirst(Self.digestDigits)
        }
        // Whatever else is wrong makes the text differ from that of the position.
        self.init(
            incarnation: parts[0] == Self.noIncarnation ? "" : parts[0], number: Int64(parts[1]),
            row: parts.count == 4 ? Row(parts[3]) : nil, of: resources.isEmpty ? nil : resources)
        guard description == text, number != nil || row != nil else { return nil }
    }

    private static let noIncarnation = String(repeating: "0", count: 32)
}

extension ChangePosition.Row {
    /// Reads the last part of a position's text.
    fileprivate init?(_ text: String) {
        guard let bytes = Base64.bytes(ofAddressText: text),
            let place = String(validating: bytes, as: UTF8.self)
        else { return nil }
        // Neither the name of a collection nor the text of a key contains a space.
        let words = place.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count <= 2, !words[0].isEmpty else { return nil }
        self.init(collection: words[0], key: words.count == 2 ? KeyText(stored: words[1]) : nil)
    }
}
