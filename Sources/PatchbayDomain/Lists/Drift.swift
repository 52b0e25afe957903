import PatchbayCore

/// How the values of fetched rows differ from what their definition says. The rows are stored all the same.
public struct Drift: Hashable, Sendable {
    /// How many values of a field are null because they have another type than the declared one: `users.size`.
    public package(set) var emptied: [String: Int] = [:]
    /// How many texts of a field were stored with U+FFFD in place of U+0000 or of half of a surrogate pair.
    public package(set) var altered: [String: Int] = [:]
    /// How many stored values of a field became null because no row of their page had its member, in pages with at
    /// least three of them. A source that leaves out nulls may have fewer.
    public package(set) var vanished: [String: Int] = [:]
    /// Members of rows that the definition does not read, and that no row had in the syncs before; at most 100.
    public package(set) var appeared: [String] = []

    package static let appearedMax = 100
    /// The least number of values of a page that count as ``vanished``.
    package static let vanishedMin = 3

    package init() {}

    package static func += (left: inout Drift, right: Drift) {
        left.emptied.merge(right.emptied, uniquingKeysWith: +)
        left.altered.merge(right.altered, uniquingKeysWith: +)
        left.vanished.merge(right.vanished, uniquingKeysWith: +)
        let new = right.appeared.filter { !left.appeared.contains($0) }
        left.appeared += new.prefix(appearedMax - left.appeared.count)
    }

    /// What was stored otherwise than the source sent it, as sentences; with how to keep it.
    package var losses: [String] {
        let emptied = emptied.sorted { $0.key < $1.key }.map { field, count in
            "\(field): \(Count.words(count, "value has", "values have")) another type than the definition states, "
                + "so \(count == 1 ? "it was" : "they were") stored as null; correct the type in the definition"
        }
        let altered = altered.sorted { $0.key < $1.key }.map { field, count in
            "\(field): \(Count.words(count, "text contains", "texts contain")) U+0000 or half of a surrogate pair, "
                + "stored as U+FFFD"
        }
        let vanished = vanished.sorted { $0.key < $1.key }.map { field, count in
            "\(field): \(count) stored values became null, because no row of their pages has this member now; check "
                + "its path in the definition"
        }
        return emptied + altered + vanished
    }

    /// The members that the definition could read, as a sentence; nil when none appeared.
    package var news: String? {
        guard !appeared.isEmpty else { return nil }
        return "new in the answers since the last sync, and not read by the definition: "
            + appeared.sorted().joined(separator: ", ")
    }
}

/// The names of the members of a list's rows that the definition does not read, collected over all syncs.
package struct UnreadMembers: Hashable, Sendable {
    /// More names than this are those of data, such as ids, and are not collected.
    package static let countMax = 200

    package private(set) var names: Set<String>
    /// Whether they were collected by the first sync alone, so that none of them is new.
    package private(set) var isFirst: Bool

    private static let first = "first"

    /// Reads what ``stored`` wrote; nil before the first answer.
    package init(stored: String?) {
        let words = stored?.split(separator: "\n").map(String.init) ?? [Self.first]
        isFirst = words.first == Self.first
        names = Set(words.dropFirst())
    }

    /// The names as a text, one a line.
    package var stored: String {
        ([isFirst ? Self.first : "later"] + names.sorted()).joined(separator: "\n")
    }

    /// The same at the start of the next sync.
    package var ofNextSync: UnreadMembers {
        var next = self
        next.isFirst = false
        return next
    }

    /// Adds names, and returns the new ones; none in the first sync.
    package mutating func add(_ found: [String]) -> [String] {
        let new = found.filter { !names.contains($0) }
        guard names.count + new.count <= Self.countMax else { return [] }
        names.formUnion(new)
        return isFirst ? [] : new
    }
}
