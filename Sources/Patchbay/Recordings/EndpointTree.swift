import PatchbayCore

/// The recorded exchanges of one method and host by path, with names and numbers in paths combined.
///
/// A number becomes `{id}`, a Git hash `{sha}`. More than ``namesMax`` names in one place become `{name}`; the first
/// part of a path stays as it is. So the tree stays small however many paths there are.
struct EndpointTree {
    static let namesMax = 8

    private var children: [String: EndpointTree] = [:]
    private var counts: RecordingSummary.Counts?

    mutating func add(_ path: String, _ counts: RecordingSummary.Counts) {
        add(path.split(separator: "/").map(Self.template)[...], counts, isFirst: true)
    }

    /// The requested paths in alphabetical order, with their counts.
    func endpoints(below path: String = "") -> [(path: String, counts: RecordingSummary.Counts)] {
        let own = counts.map { [(path: path.isEmpty ? "/" : path, counts: $0)] } ?? []
        return own
            + children.sorted { $0.key < $1.key }.flatMap { $0.value.endpoints(below: "\(path)/\($0.key)") }
    }

    private static let anyName = "{name}"

    private mutating func add(
        _ parts: ArraySlice<String>, _ counts: RecordingSummary.Counts, isFirst: Bool
    ) {
        guard let part = parts.first else {
            self.counts = self.counts.map { $0.adding(counts) } ?? counts
            return
        }
        let isJoined = children[Self.anyName] != nil && !isFirst && !part.hasPrefix("{")
        let name = isJoined ? Self.anyName : part
        children[name, default: EndpointTree()].add(parts.dropFirst(), counts, isFirst: false)
        if !isFirst { joinNames() }
    }

    /// Combines the names of one place when there are too many.
    private mutating func joinNames() {
        let names = children.keys.filter { !$0.hasPrefix("{") }
        let isJoined = children[Self.anyName] != nil && !names.isEmpty
        guard isJoined || names.count > Self.namesMax else { return }
        var joined = children[Self.anyName] ?? EndpointTree()
        for name in names.sorted() {
            if let child = children.removeValue(forKey: name) { joined.merge(child) }
        }
        children[Self.anyName] = joined
    }

    private mutating func merge(_ other: EndpointTree) {
        if let counts = other.counts { self.counts = self.counts.map { $0.adding(counts) } ?? counts }
        for (name, child) in other.children { children[name, default: EndpointTree()].merge(child) }
        joinNames()
    }

    private static func template(_ part: Substring) -> String {
        if part.isASCIIDigits { return "{id}" }
        let isHash = [40, 64].contains(part.utf8.count) && part.allSatisfy(\.isHexDigit)
        return isHash ? "{sha}" : String(part)
    }
}
