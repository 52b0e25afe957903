import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A search that was checked.
struct TextSearch: Sendable {
    let words: TextWords
    /// Where to search.
    let fields: [TextFields]
    let limit: Int

    init(
        _ text: String, _ all: [TextFields], in resources: [Resource]?, limit: Int
    ) throws(PatchbayError) {
        words = try TextWords(text)
        self.limit = limit
        guard let resources else {
            fields = all
            if all.isEmpty {
                throw PatchbayError(
                    .unsupported, "no resource has texts to find; a definition names them: NAME.find = FIELD")
            }
            return
        }
        var chosen: [TextFields] = []
        for resource in resources {
            guard let fields = all.first(where: { $0.resource == resource }) else {
                throw PatchbayError(
                    .unsupported,
                    "\(resource.plural) have no texts to find; the definition names them: "
                        + "\(resource.name.withHyphens).find = FIELD")
            }
            if !chosen.contains(where: { $0.resource == resource }) { chosen.append(fields) }
        }
        fields = chosen
    }
}

extension TextIndex {
    /// Answers a search, in one snapshot of the index and one of the storage, which have the same rows.
    ///
    /// - Parameter reason: why the index may lack changes; nil for an answer that must not lack any.
    /// - Returns: nil if the index lacks changes and no reason is given.
    /// - Throws: ``TextMismatch`` if no reason is given.
    func answer(
        _ search: TextSearch, _ file: TextFile, lacking reason: String? = nil
    ) async throws -> FoundRows? {
        try file.run("BEGIN")
        // The first read begins the snapshot.
        let known = try file.coverage()
        guard file.isCurrent else { return nil }
        return try await store.read { reading in
            let incarnation = try reading.incarnation()
            let isCurrent = search.fields.allSatisfy { self.covers($0, known, incarnation) }
            if !isCurrent, reason == nil { return nil }
            return try self.answer(search, file, known, reading, isCurrent: isCurrent, lacking: reason)
        }
    }

    private func answer(
        _ search: TextSearch, _ file: TextFile, _ known: [String: TextCoverage],
        _ reading: borrowing Reading, isCurrent: Bool, lacking reason: String?
    ) throws -> FoundRows {
        var isComplete = isCurrent
        let expression = search.words.expression
        var matches: [TextFile.Match] = [], isCut = false
        var fieldsOfNumbers: [Int64: TextFields] = [:]
        for fields in search.fields {
            guard let coverage = known[fields.resource.collection.name] else { continue }
            fieldsOfNumbers[coverage.number] = fields
        }
        for table in TextTable.allCases {
            let chosen = fieldsOfNumbers.filter { $0.value.table == table }.map(\.key)
            if chosen.isEmpty { continue }
            let found = try file.matches(
                expression, in: table, of: chosen.count == known.count ? nil : chosen)
            matches += found.matches
            isCut = isCut || found.isCut
        }
        let best = try ranked(matches, search.limit, file)
        var rows: [FoundRows.Row] = []
        for (match, key, text) in best {
            guard let fields = fieldsOfNumbers[match.id & TextTable.resourceMask],
                let item = try reading.item(key, of: fields.resource), item.state.goneAt == nil,
                fields.texts(item) == (text.title, text.body)
            else {
                // Of an index with all changes, this is damage, or a row that another program wrote.
                if reason == nil { throw TextMismatch() }
                isComplete = false
                continue
            }
            rows.append(FoundRows.Row(item: item, excerpt: try file.excerpt(match, expression)))
        }
        let empty = try search.fields.filter { fields in
            guard let number = known[fields.resource.collection.name]?.number else { return true }
            return try !file.hasTexts(number, fields.table)
        }
        return FoundRows(
            rows: rows, count: matches.count, isCut: isCut, reason: isComplete ? tooShort(search) : reason,
            isBehind: !isComplete, empty: empty.map(\.resource))
    }

    /// The best matches with their keys and texts. Equal ones are in the order of their resources and keys, which does
    /// not depend on the history of the index.
    private func ranked(
        _ matches: [TextFile.Match], _ limit: Int, _ file: TextFile
    ) throws -> [(TextFile.Match, key: String, text: TextFile.Text)] {
        let sorted = matches.sorted { $0.score < $1.score }
        var best: [(TextFile.Match, key: String, text: TextFile.Text)] = []
        var place = 0
        while place < sorted.count, best.count < limit {
            var equal: [(TextFile.Match, key: String, text: TextFile.Text)] = []
            let score = sorted[place].score
            while place < sorted.count, sorted[place].score == score {
                if let (key, text) = try file.row(sorted[place]) { equal.append((sorted[place], key, text)) }
                place += 1
            }
            best += equal.sorted {
                let left = $0.0.id & TextTable.resourceMask, right = $1.0.id & TextTable.resourceMask
                return (left, $0.key) < (right, $1.key)
            }.prefix(limit - best.count)
        }
        return best
    }

    private func tooShort(_ search: TextSearch) -> String? {
        let names = search.fields.filter { $0.table == .trigrams }.map(\.resource.plural)
        let short = search.words.tooShort
        if names.isEmpty || short.isEmpty { return nil }
        let words = short.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            "words with fewer than three characters are not found in \(names.joined(separator: ", ")): \(words)"
    }
}

/// The index has other texts than the storage.
struct TextMismatch: Error {}

extension TextFile {
    fileprivate func hasTexts(_ number: Int64, _ table: TextTable) throws -> Bool {
        try statement(
            "SELECT 1 FROM \(table.rows) WHERE id & \(TextTable.resourceMask) = ? LIMIT 1"
        ).first(.integer(number)) { _ in true } ?? false
    }
}

extension Reading {
    /// The row with a key; nil when there is none.
    fileprivate func item(_ text: String, of resource: Resource) throws -> Item? {
        guard let key = KeyText.key(text, of: resource) else { return nil }
        var item: Item?
        _ = try get(key, in: resource.collection) { item = Item($0, of: resource) }
        return item
    }
}
