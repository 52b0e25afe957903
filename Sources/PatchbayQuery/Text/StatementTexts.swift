import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What `find` searches in a running statement, and what it may lack.
final class StatementTexts {
    /// The names of the tables with texts.
    private(set) var names: [Resource: String] = [:]
    /// The resources with texts by all names that statements may use.
    private var known: [String: Resource] = [:]
    private(set) var searched: Set<Resource> = []
    /// The first reason why rows are missing, and that words are too short.
    private var lacking: String?, short: String?
    private let fields: [TextFields]
    private let snapshot: TextSnapshot
    private let isCurrent: Bool

    /// - Parameters:
    ///   - isCurrent: whether the index has all changes of the storage's snapshot.
    ///   - tables: those that statements may name, with and without texts.
    init(
        _ fields: [TextFields], _ snapshot: TextSnapshot, isCurrent: Bool, _ tables: [String: QueryTable]
    ) {
        self.fields = fields
        self.snapshot = snapshot
        self.isCurrent = isCurrent
        let resources = Dictionary(
            uniqueKeysWithValues: fields.map { ($0.resource.collection.name, $0.resource) })
        for (name, table) in tables where !table.isAll {
            guard let resource = resources[table.resource.collection.name] else { continue }
            names[resource] = table.name
            known[name] = resource
        }
    }

    /// Why rows may be missing, as a sentence; nil when none are.
    var missing: String? { lacking ?? short }

    /// Searches.
    ///
    /// - Parameter tables: the names of the tables to search, separated by commas; nil for all.
    func matches(_ words: String, in tables: String?) throws -> TextMatches {
        let search = try TextSearch(words, fields, in: tables.map(resources), limit: TextFile.rankedMax)
        searched.formUnion(search.fields.map(\.resource))
        let matches = try TextMatches(search, snapshot)
        if !isCurrent { note(snapshot.reason) }
        if matches.isCut {
            note("more than \(matches.count) rows match; find ranks the latest \(matches.count)")
        }
        short = short ?? search.tooShort
        return matches
    }

    /// Notes that a text is not that of its row.
    func noteMismatch() { note(isCurrent ? TextMismatch.reason : snapshot.reason) }

    /// The error for people.
    func error(_ failure: TextFailure) -> PatchbayError { failure.error(snapshot.file.path) }

    private func note(_ reason: String?) { lacking = lacking ?? reason }

    private func resources(_ tables: String) throws -> [Resource] {
        let chosen = tables.split { $0 == "," || $0 == " " }.map(String.init)
        return try (chosen.isEmpty ? [tables] : chosen).map { name in
            guard let resource = known[name.lowercased()] else {
                let words = EditDistance.unknown("table with texts", name, in: names.values.sorted())
                throw PatchbayError(.invalidValue, words)
            }
            return resource
        }
    }
}
