import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The stored rows whose handle or shown title begins with a text, by handle, then by title, without duplicates.
    /// The source is not queried.
    ///
    /// Uses indexes like the local matches of a search: all stored rows are searched, and only matching rows are read.
    /// If the handle is a number, or the resource has none, all rows are read and their handles or keys compared.
    ///
    /// - Parameters:
    ///   - text: compared without white space at both ends and in any case; an empty text finds nothing.
    ///   - limit: the number of rows, 1 to 10,000 (`Limits.pageRows`).
    /// - Returns: the rows, and false when there are more than the limit.
    /// - Throws: `invalidValue` for a text of more than 256 characters or with U+0000.
    public func matches(
        _ resource: Resource, _ text: String, limit: Int = 200
    ) async throws -> (items: [Item], isComplete: Bool) {
        precondition((1...Limits.pageRows).contains(limit), "1 to \(Limits.pageRows) rows are found")
        guard let text = try SearchText(text) else { return ([], true) }
        let items = try await store.read {
            try $0.items(of: resource, beginningWith: text, limit: limit + 1)
        }
        return (Array(items.prefix(limit)), items.count <= limit)
    }
}

extension Reading {
    /// The stored rows whose handle or shown title begins with a text, by handle, then by title, without duplicates.
    ///
    /// Scans a few indexes and stops when the limit is reached. Reads only matching rows, except for titles longer than
    /// the index contains. Rows that are no longer listed are left out, as in lists.
    func items(of resource: Resource, beginningWith text: SearchText, limit: Int) throws -> [Item] {
        let prefix = text.prefix
        let indexed = prefix.beginning(bytesMax: Resource.foldedBytesMax)
        var matches = ItemMatches(limit: limit)
        if let handle = resource.handle, handle.type == .text {
            let places = FoldedStarts(of: prefix, foldsLatin: resource.handleIndex != nil)
            for start in places.starts {
                let text = start.text.beginning(bytesMax: Resource.foldedBytesMax)
                let query = Query(resource.collection, by: resource.handleIndex, .prefix(.text(text)))
                try add(query, of: resource, to: &matches) { $0.handle.begins(with: prefix) }
            }
        } else {
            // No index finds numbers by their first digits, or the later fields of a key.
            let fields = resource.handle.map { [$0] } ?? resource.key
            try add(Query(resource.collection), of: resource, to: &matches) { item in
                fields.contains { (item[$0]?.description ?? "").begins(with: prefix) }
            }
        }
        for title in resource.title {
            guard let index = resource.titleIndex(of: title) else { continue }
            let query = Query(resource.collection, by: index, .prefix(.text(indexed)))
            try add(query, of: resource, to: &matches) {
                ($0.shown(title)?.description ?? "").begins(with: prefix)
            }
        }
        return matches.found
    }

    private func add(
        _ query: Query, of resource: Resource, to matches: inout ItemMatches, where isMatch: (Item) -> Bool
    ) throws {
        guard !matches.isFull else { return }
        try scan(query) { row in
            if ItemState.isGone(row) { return .next }
            let item = Item(row, of: resource)
            if isMatch(item) { matches.take(item) }
            return matches.isFull ? .stop : .next
        }
    }
}

extension String {
    /// - Parameter prefix: case-folded.
    fileprivate func begins(with prefix: String) -> Bool { caseFolded.utf8.starts(with: prefix.utf8) }
}

/// The rows found, without duplicates.
private struct ItemMatches {
    let limit: Int
    private(set) var found: [Item] = []
    private var keys: Set<Key> = []

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { found.count >= limit }

    mutating func take(_ item: Item) {
        if keys.insert(item.key).inserted { found.append(item) }
    }
}
