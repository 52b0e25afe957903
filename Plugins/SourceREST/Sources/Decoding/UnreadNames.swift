import PatchbayDomain

/// The names of members that no field reads. Rows usually have the same members in the same order, so a name is
/// compared first with the one that came next in the row before.
struct UnreadNames {
    /// The number of members that are noted, and the maximum length of their names.
    private static let countMax = UnreadMembers.countMax, bytesMax = 100

    private var known: [[UInt8]] = []
    /// The place of the name that is expected next.
    var place = 0

    mutating func note(_ name: RawSpan) {
        if place < known.count, isSame(name, known[place]) { return place += 1 }
        if let found = known.firstIndex(where: { isSame(name, $0) }) { return place = found + 1 }
        guard known.count < Self.countMax, name.byteCount <= Self.bytesMax else { return }
        known.append(unsafe name.withUnsafeBytes { unsafe [UInt8]($0) })
        place = known.count
    }

    private func isSame(_ name: RawSpan, _ known: [UInt8]) -> Bool {
        guard name.byteCount == known.count else { return false }
        return unsafe name.withUnsafeBytes { unsafe known.elementsEqual($0) }
    }

    /// The names as paths of a definition; without those that are escaped in JSON.
    var names: [String] {
        known.filter { !$0.contains(UInt8(ascii: "\\")) }.map {
            JSONPath([.member(String(decoding: $0, as: UTF8.self))]).description
        }
    }
}
