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
    /// - Returns: nil if the index lacks changes and no reason is given.
    /// - Throws: ``TextMismatch`` if no reason is given.
    func answer(_ search: TextSearch, _ texts: TextSnapshot) async throws -> FoundRows? {
        try await store.read { reading in
            let isCurrent = try self.covers(search.fields, texts, reading)
            if !isCurrent, texts.reason == nil { return nil }
            let lists = try self.listShortfall(of: search, reading)
            return try texts.answer(search, reading.snapshot, isCurrent: isCurrent, lists)
        }
    }

    /// Why rows of the searched resources may not be stored, as a sentence; nil when their lists are complete.
    private func listShortfall(of search: TextSearch, _ reading: borrowing Reading) throws -> String? {
        let names = Dictionary(
            zip(resources, ResourceNouns(resources).nouns), uniquingKeysWith: { first, _ in first })
        return try search.fields.map { fields in
            let resource = fields.resource
            return try reading.use(of: resource, as: names[resource] ?? resource.name, among: gateways)
        }.shortfall
    }

    /// Runs `body` with a snapshot of the index, which is updated as often as it lacks changes.
    ///
    /// - Parameter body: returns nil when the snapshot lacks changes and ``TextSnapshot/reason`` is nil.
    func inSnapshot<Result: Sendable>(
        _ progress: @escaping WorkProgress.Handler,
        _ body: @Sendable (TextSnapshot) async throws -> Result?
    ) async throws -> Result {
        var reason = "the latest changes are not in the index, because the rows change too fast"
        do {
            for _ in 0..<Self.roundsMax {
                if let result = try await usingSnapshot(nil, progress, body) { return result }
                try await usingFile(progress) { try await self.update($0, progress) }
            }
        } catch let error as PatchbayError
            where [.busy, .storageFull, .permissionDenied].contains(error.code) && exists
        {
            reason = "the latest changes are not in the index: \(error.message)"
        } catch is TextMismatch {
            reason = TextMismatch.reason
        }
        guard let result = try await usingSnapshot(reason, progress, body) else {
            throw PatchbayError(.internalError, "the search has no answer")
        }
        return result
    }

    private func usingSnapshot<Result: Sendable>(
        _ reason: String?, _ progress: @escaping WorkProgress.Handler,
        _ body: @Sendable (TextSnapshot) async throws -> Result?
    ) async throws -> Result? {
        try await usingFile(progress) { file in
            try file.run("BEGIN")
            // The first read begins the snapshot.
            let known = try file.coverage()
            guard file.isCurrent else { return nil }
            return try await body(TextSnapshot(file: file, known: known, reason: reason))
        }
    }

    /// Whether the index has all changes of a snapshot of the storage.
    func covers(
        _ fields: [TextFields], _ texts: TextSnapshot, _ reading: borrowing Reading
    ) throws -> Bool {
        let incarnation = try reading.incarnation()
        return fields.allSatisfy { covers($0, texts.known, incarnation) }
    }
}

/// A snapshot of an index.
struct TextSnapshot: Sendable {
    let file: TextFile
    /// What the index contains, by the names of collections.
    let known: [String: TextCoverage]
    /// Why the index may lack changes; nil for an answer that must not lack any.
    let reason: String?

    fileprivate func answer(
        _ search: TextSearch, _ reader: SnapshotReader, isCurrent: Bool, _ listShortfall: String?
    ) throws -> FoundRows {
        var isComplete = isCurrent
        var matches = try TextMatches(search, self)
        var rows: [FoundRows.Row] = []
        for _ in 0..<search.limit {
            guard let match = try matches.next() else { break }
            guard let item = try matches.item(of: match, reader) else {
                // Of an index with all changes, this is damage, or a row that another program wrote.
                if reason == nil { throw TextMismatch() }
                isComplete = false
                continue
            }
            rows.append(FoundRows.Row(item: item, excerpt: try matches.excerpt(match)))
        }
        if matches.lacksTexts {
            if reason == nil { throw TextMismatch() }
            isComplete = false
        }
        let empty = try search.fields.filter { fields in
            guard let number = known[fields.resource.collection.name]?.number else { return true }
            return try !file.hasTexts(number, fields.table)
        }
        return FoundRows(
            rows: rows, count: matches.count, isCut: matches.isCut,
            reason: isComplete ? search.tooShort ?? listShortfall : reason, isOutdated: !isComplete,
            empty: empty.map(\.resource))
    }
}

/// The texts that match a search, the best first.
struct TextMatches {
    /// A text that matches.
    struct Match {
        fileprivate let match: TextFile.Match
        let key: String
        fileprivate let text: TextFile.Text
    }

    /// At most ``TextFile/rankedMax``.
    let count: Int
    /// Whether more match.
    let isCut: Bool
    /// Whether the index lacks a text that ``next()`` was to return.
    private(set) var lacksTexts = false
    private let file: TextFile
    private let expression: String
    private let fieldsOfNumbers: [Int64: TextFields]
    private let sorted: [TextFile.Match]
    private var place = 0
    /// Those with the same rank that come next.
    private var equal: ArraySlice<Match> = []

    init(_ search: TextSearch, _ texts: TextSnapshot) throws {
        file = texts.file
        expression = search.words.expression
        var fieldsOfNumbers: [Int64: TextFields] = [:]
        for fields in search.fields {
            guard let coverage = texts.known[fields.resource.collection.name] else { continue }
            fieldsOfNumbers[coverage.number] = fields
        }
        var matches: [TextFile.Match] = [], isCut = false
        for table in TextTable.allCases {
            let chosen = fieldsOfNumbers.filter { $0.value.table == table }.map(\.key)
            if chosen.isEmpty { continue }
            let found = try file.matches(
                expression, in: table, of: chosen.count == texts.known.count ? nil : chosen)
            let short = table == .trigrams ? ShortTerms(search.words) : nil
            matches += try found.matches.filter { match in
                guard let short, let (_, text) = try texts.file.row(match) else { return true }
                return short.admits(text)
            }
            isCut = isCut || found.isCut
        }
        self.fieldsOfNumbers = fieldsOfNumbers
        self.isCut = isCut
        count = matches.count
        sorted = matches.sorted { $0.score < $1.score }
    }

    /// The next text; nil at the end. Equal ones are in the order of their resources and keys, which does not depend on
    /// the history of the index.
    mutating func next() throws -> Match? {
        while equal.isEmpty, place < sorted.count {
            let score = sorted[place].score
            var some: [Match] = []
            while place < sorted.count, sorted[place].score == score {
                if let (key, text) = try file.row(sorted[place]) {
                    some.append(Match(match: sorted[place], key: key, text: text))
                } else {
                    lacksTexts = true
                }
                place += 1
            }
            some.sort {
                let left = $0.match.id & TextTable.resourceMask, right = $1.match.id & TextTable.resourceMask
                return (left, $0.key) < (right, $1.key)
            }
            equal = some[...]
        }
        return equal.popFirst()
    }

    /// The row of a text; nil if the storage has no listed row with this text.
    func item(of match: Match, _ reader: SnapshotReader) throws -> Item? {
        guard let fields = fieldsOfNumbers[match.text.id & TextTable.resourceMask],
            let item = try reader.item(match.key, of: fields.resource), item.state.goneAt == nil,
            fields.texts(item) == (match.text.title, match.text.body)
        else { return nil }
        return item
    }

    func excerpt(_ match: Match) throws -> Excerpt { try file.excerpt(match.match, expression) }
}

extension TextSearch {
    /// That words are too short to be found, as a sentence; nil when none are.
    var tooShort: String? {
        let names = fields.filter { $0.table == .trigrams }.map(\.resource.plural)
        let short = words.tooShort
        if names.isEmpty || short.isEmpty { return nil }
        let words = short.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            "words with fewer than three characters are not found in \(names.joined(separator: ", ")) without a longer "
            + "one: \(words)"
    }
}

/// The index has other texts than the storage.
struct TextMismatch: Error {
    static let reason = "the storage has rows that another program has changed, which the index may lack"
}

extension TextFile {
    fileprivate func hasTexts(_ number: Int64, _ table: TextTable) throws -> Bool {
        try statement(
            "SELECT 1 FROM \(table.rows) WHERE id & \(TextTable.resourceMask) = ? LIMIT 1"
        ).first(.integer(number)) { _ in true } ?? false
    }
}

extension SnapshotReader {
    /// The row with a key; nil when there is none.
    fileprivate func item(_ text: String, of resource: Resource) throws -> Item? {
        guard !lacks(resource.collection.name), let key = KeyText.key(text, of: resource) else { return nil }
        var item: Item?
        _ = try reader.get(key, in: resource.collection) { item = Item($0, of: resource) }
        return item
    }
}

extension TextIndex {
    /// The threads of this process on which searches and updates wait for files. A test, which runs beside others that
    /// search for long, binds threads with more patience.
    @TaskLocal static var sharedThreads = threads(patience: .seconds(10))
    /// The maximum number of threads, and of open files of an index.
    static let threadsMax = 4

    /// Threads for searches.
    ///
    /// - Parameter patience: how long a search waits for one of them.
    static func threads(patience: Duration) -> StorageThreads {
        StorageThreads(threadsMax: threadsMax, patience: patience, of: "searches have been running")
    }
}
