import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What `find` searches in a running statement, and what it may lack.
final class StatementTexts {
    /// The names of the tables with texts.
    let names: [Resource: String]
    private(set) var searched: Set<Resource> = []
    /// The first reason why rows are missing, and that words are too short.
    private var lacking: String?, short: String?
    private let fields: [TextFields]
    private let snapshot: TextSnapshot
    private let isCurrent: Bool

    /// - Parameter isCurrent: whether the index has all changes of the storage's snapshot.
    init(
        _ fields: [TextFields], _ snapshot: TextSnapshot, isCurrent: Bool, _ names: [Resource: String]
    ) {
        self.fields = fields
        self.snapshot = snapshot
        self.isCurrent = isCurrent
        self.names = names
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
        let known = Dictionary(
            uniqueKeysWithValues: names.flatMap { resource, name in
                Set([name, resource.collection.name]).map { ($0, resource) }
            })
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
