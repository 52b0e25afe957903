import PatchbayCore
package import PatchbayDomain
import PatchbayJSON

/// A definition drafted from sample answers, for a person to edit.
///
/// The text has no fault (``Definition/reading(path:bytes:)``), and a comment for every choice. It contains no secrets:
/// credentials, and parameters that may be secrets, are left out.
package struct DefinitionDraft {
    package let text: String
    private let summary: DraftSummary

    init(text: String, summary: DraftSummary) { (self.text, self.summary) = (text, summary) }

    /// - Parameters:
    ///   - rows: the place of the rows in each answer; nil searches for them.
    ///   - only: the names of the lists to draft, whose parents are drafted as well; all when empty.
    ///   - name: the name of the rows when no address names them, and of the sample in messages.
    /// - Throws: `invalidValue` when there are no rows, or no list with a name.
    package init(
        _ samples: [DraftSample], rows: JSONPath? = nil, only: [String] = [], name: String, source: String
    ) throws {
        let origin = DefinitionDraft.origin(samples, rows)
        let settings = DraftSettings(
            DefinitionDraft.distinct(samples.filter { $0.address?.origin == origin }))
        let own = settings.samples
        let isInvented = own.contains(where: \.isDescribed) && origin == DraftSample.unknownOrigin
        let known = isInvented ? nil : origin
        let base = DraftPath.base(own.compactMap { $0.address?.segments })
        let api = DraftWords.name(
            known.map(DraftPath.api) ?? name, other: "api", bytesMax: DefinitionDraft.apiBytesMax)
        // A collection is named after the API and the rows, whose name may get a number.
        let room = Field.nameBytesMax - api.utf8.count - "_-999".utf8.count
        let relations = DraftRelations(own, rows: rows) { group, parts in
            let noun =
                group.noun(after: base.count, parts: parts, bytesMax: room)
                ?? DraftWords.name(name, other: "rows", bytesMax: room)
            // First words of keys that do not belong to a resource.
            return ["header", "error", "setting"].contains(noun) ? noun + "s" : noun
        }
        guard !relations.resources.isEmpty else { throw DefinitionDraft.noRows(samples, rows, source) }
        var writer = DraftWriter(relations.resources, base: base, settings: settings.names)
        writer.only = try DefinitionDraft.places(of: only, in: relations.resources)
        writer.summary.leftOut = samples.flatMap(\.notes)
        writer.writeAPI(own, origin: known, name: api, source: source)
        writer.writeResources()
        writer.writeUnused(relations.unused, others: samples.count { $0.address?.origin != origin })
        text = DraftSettings.written(writer.text.text, settings.names)
        summary = writer.summary
    }

    /// Sentences about the lists, their pages and keys, and what was left out.
    package var sentences: [String] { summary.lines }

    /// The list to try first, and whether it needs neither a parent nor an argument.
    package var first: (name: String, isDirect: Bool)? { summary.first.map { ($0.name, $0.isDirect) } }

    /// The places of lists and, because their addresses need them, of their parents; nil for all lists.
    private static func places(of names: [String], in resources: [DraftResource]) throws -> Set<Int>? {
        guard !names.isEmpty else { return nil }
        var places: Set<Int> = []
        for name in names {
            guard var place = resources.firstIndex(where: { $0.name == name }) else {
                let known = DraftWords.list(resources.map(\.name), max: 40)
                throw PatchbayError(.invalidValue, "there is no list \"\(name)\"; the lists are \(known)")
            }
            while places.insert(place).inserted, let parent = resources[place].parent { place = parent.place }
        }
        return places
    }

    /// Leaves room for the name of the rows in the name of a collection.
    private static let apiBytesMax = 24

    /// The last answer to each request.
    private static func distinct(_ samples: [DraftSample]) -> [DraftSample] {
        var places: [String: Int] = [:], distinct: [DraftSample] = []
        for sample in samples {
            let request = "\(sample.send) \(sample.address?.text ?? "") \(sample.parameters)"
            if let place = places[request] {
                distinct[place] = sample
            } else {
                places[request] = distinct.count
                distinct.append(sample)
            }
        }
        return distinct
    }

    /// The server that most of the answers with rows come from.
    private static func origin(_ samples: [DraftSample], _ rows: JSONPath?) -> String? {
        var counts: [String?: Int] = [:]
        for sample in samples {
            let hasRows =
                rows.map { RowPlaces.rows(at: $0, in: sample.body) != nil }
                ?? !RowPlaces.all(in: sample.body).isEmpty
            if hasRows { counts[sample.address?.origin, default: 0] += 1 }
        }
        return counts.max { ($0.value, $1.key ?? "") < ($1.value, $0.key ?? "") }?.key
    }

    private static func noRows(_ samples: [DraftSample], _ rows: JSONPath?, _ source: String) -> PatchbayError
    {
        let places = samples.flatMap { RowPlaces.all(in: $0.body) }.map { "\"\($0.path)\"" }
        if let rows {
            let known =
                places.isEmpty
                ? "no array of objects was found" : "there are rows at \(DraftWords.list(places))"
            return PatchbayError(.invalidValue, "\(source) has no rows at \"\(rows)\"; \(known)")
        }
        let held =
            samples.count == 1
            ? "it is \(samples[0].body.kindWords)" : "no answer contains an array of objects"
        let notes = samples.flatMap(\.notes)
        let leftOut = notes.isEmpty ? "" : "; left out: \(notes.joined(separator: "; "))"
        return PatchbayError(
            .invalidValue,
            "\(source) has no rows to draft a definition from: \(held)\(leftOut); use an answer with rows, or name "
                + "their place (\".\" makes the whole answer one row)")
    }
}
