import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// The answers of one list: those of one address, of its next pages, and of addresses that differ only in a value.
struct DraftGroup {
    /// A part of the list's path.
    struct Segment: Hashable {
        /// As written; the first value of a variable.
        var text: String
        /// The values of a variable, empty when they are not known; nil for a part that is always the same.
        var values: Set<String>?
        /// The name of the argument, if this becomes one.
        var name: String?
        /// What a document writes around the variable: `.json` in `{id}.json`.
        var (before, after) = ("", "")

        init(_ text: String) {
            self.text = text
            let parts = text.withBraces.split(separator: "{", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let end = parts[1].firstIndex(of: "}") else { return }
            let word = PercentEncoding.decoded(parts[1][..<end])
            values = []
            name = DraftWords.name(word, other: "value")
            before = String(parts[0])
            // It may contain further variables.
            after = String(parts[1][parts[1].index(after: end)...])
        }

        var decoded: String { PercentEncoding.decoded(text) }

        /// Whether a document declares a variable here.
        var isDeclared: Bool { values?.isEmpty == true }

        /// Whether two parts are at the same place of an address: both are declared, or equal except for `.json`.
        func isLike(_ other: Segment) -> Bool { isDeclared && other.isDeclared || stem == other.stem }

        /// Without `.json`.
        var stem: Substring { text.hasSuffix(".json") ? text.dropLast(".json".count) : text[...] }
    }

    var segments: [Segment]
    let rowsPath: JSONPath
    /// Other places with rows in the first answer.
    let otherPlaces: [JSONPath]
    /// Whether no name shows which of several places has the rows.
    var areRowsGuess = false
    var samples: [DraftSample]
    /// Whether other lists have the same address, so that only the place of the rows distinguishes them.
    var isNamedByRows = false
    /// The answers of rows' own addresses, and the template of these addresses.
    var details: [JSONValue] = []
    var show: DraftShow?

    /// Whether the answers come from a document, so that nothing can be said about their values.
    var isDescribed: Bool { samples[0].isDescribed }

    /// The variable with which a document names a single row.
    var keyVariable: String? { samples[0].keyVariable }

    /// The rows of each answer.
    var answers: [[JSONValue]] { samples.map(rows) }

    /// The answers for each value of the variables.
    var answersByAddress: [[[JSONValue]]] {
        Dictionary(grouping: samples) { $0.address?.segments ?? [] }.values.map { $0.map(rows) }
    }

    private func rows(of sample: DraftSample) -> [JSONValue] {
        RowPlaces.rows(at: rowsPath, in: sample.body) ?? []
    }

    /// The parts without the empty one after a last slash.
    var parts: ArraySlice<Segment> { DraftGroup.parts(of: segments) }

    private static func parts(of segments: [Segment]) -> ArraySlice<Segment> {
        segments.last?.text == "" ? segments.dropLast() : segments[...]
    }

    static func parts(of address: HTTPAddress?) -> ArraySlice<Segment> { parts(of: segments(of: address)) }

    static func segments(of address: HTTPAddress?) -> [Segment] {
        (address?.segments ?? []).map { Segment($0) }
    }

    var variables: [Int] { segments.indices.filter { segments[$0].values != nil } }

    /// The last parts of the path that are not variables, as a name; nil when there are none.
    ///
    /// - Parameters:
    ///   - count: how many; more make the name unique: `repos`, `org-repos`.
    ///   - bytesMax: the maximum length of the name.
    func noun(after base: Int, parts count: Int = 1, bytesMax: Int) -> String? {
        let words = isNamedByRows ? RowPlaces.nouns(of: rowsPath) : []
        let nouns = (words.isEmpty ? DraftGroup.nouns(of: segments.dropFirst(base)) : words).suffix(count)
        guard let last = nouns.last else { return nil }
        var owners = nouns.dropLast().map { EnglishNoun.singular(DraftWords.name($0)) }
        // A list that only a variable distinguishes has its name: `workspace-repositories`.
        if nouns.count < count, let name = segments.last(where: { $0.name != nil })?.name {
            let words = DraftWords.split(name).filter { $0 != "id" }
            owners.insert(contentsOf: words, at: 0)
        }
        return DraftWords.name((owners + [last]).joined(separator: "-"), other: "rows", bytesMax: bytesMax)
    }

    private static let verbs: Set<String> = ["list", "json", "all", "get"]

    /// The words for what an address lists, from the outermost one to the rows.
    static func nouns(of segments: some Sequence<Segment>) -> [String] {
        let fixed = segments.filter { segment in
            // A part that may be a secret is not used as a name.
            segment.values == nil && !segment.text.isEmpty && !DraftSettings.isMarked(segment.text)
                && DraftText.line("path", segment.text) != nil
        }
        let named = fixed.filter { !DraftPath.isVersion($0.text) }
        let nouns = (named.isEmpty ? fixed : named).map { segment in
            // `users.list` and `users.json` list `users`.
            var words = segment.decoded.split(separator: ".").map(String.init)
            while words.count > 1, verbs.contains(words.last?.lowercased() ?? "") { words.removeLast() }
            // So does `getUsers`.
            var parts = words.flatMap(DraftWords.split)
            while parts.count > 1, verbs.contains(parts[0]) { parts.removeFirst() }
            return parts.joined(separator: "-")
        }
        // `users/list` lists `users`, too; the verb becomes part of a longer name: `list-users`.
        guard nouns.count > 1, let last = nouns.last, verbs.contains(last) || last == "search" else {
            return nouns
        }
        return nouns.dropLast(2) + [last, nouns[nouns.count - 2]]
    }
}

/// The address of one row.
struct DraftShow {
    /// The path with `{handle}` or `{key}`.
    var template: String
    var row: JSONPath
}

extension DraftGroup {
    /// Groups answers into lists, in the order of the answers.
    ///
    /// - Parameters:
    ///   - rows: the place of the rows; nil searches for them.
    ///   - includesRows: whether an answer that is more likely one row than a list counts as a list.
    static func all(in samples: [DraftSample], rows: JSONPath?, includesRows: Bool = false) -> [DraftGroup] {
        var groups: [DraftGroup] = [], placesOfAddress: [String: [Int]] = [:]
        for sample in samples {
            let address =
                sample.address.map { "\(sample.send) \($0.origin)\($0.pathOnly)" } ?? ""
            let known = placesOfAddress[address] ?? sample.address.flatMap { placesOfAddress[$0.text] } ?? []
            var place = known.first { groups[$0].hasRows(in: sample) } ?? known.first
            // The body of a request may say which list is meant, as in GraphQL.
            let isOther =
                sample.send == .json && place.map { groups[$0].areRowsElsewhere(in: sample) } == true
            if let place, !isOther {
                groups[place].samples.append(sample)
            } else {
                let places =
                    rows.map { path in
                        RowPlaces.rows(at: path, in: sample.body).map { [(path: path, rows: $0)] } ?? []
                    } ?? RowPlaces.all(in: sample.body, of: sample.address)
                guard let first = places.first, !first.rows.isEmpty,
                    rows != nil || samples.count == 1 || includesRows
                        || !RowPlaces.isRow(sample, besides: first.path)
                else { continue }
                place = groups.count
                placesOfAddress[address, default: []].append(groups.count)
                groups.append(
                    DraftGroup(
                        segments: segments(of: sample.address), rowsPath: first.path,
                        otherPlaces: places.dropFirst().map(\.path),
                        areRowsGuess: RowPlaces.isGuess(places.map(\.path), of: sample.address),
                        samples: [sample]))
            }
            // A next page may have a different path from the first.
            let next = sample.next.flatMap { sample.address?.resolving($0) }
            if let next, let place { placesOfAddress[next.text] = [place] }
        }
        for places in placesOfAddress.values where places.count > 1 {
            for place in places { groups[place].isNamedByRows = true }
        }
        return merged(groups)
    }

    private func hasRows(in sample: DraftSample) -> Bool {
        RowPlaces.rows(at: rowsPath, in: sample.body) != nil
    }

    private func areRowsElsewhere(in sample: DraftSample) -> Bool {
        !hasRows(in: sample) && RowPlaces.all(in: sample.body).contains { !$0.rows.isEmpty }
    }

    /// Joins lists whose paths differ in one or two values between other parts, and whose rows have the same fields.
    private static func merged(_ groups: [DraftGroup]) -> [DraftGroup] {
        var merged: [DraftGroup] = []
        for group in groups {
            // A document names its variables.
            guard !group.isDescribed else {
                merged.append(group)
                continue
            }
            let twin = merged.indices.lazy.compactMap { place in
                group.differences(from: merged[place]).map { (place, $0) }
            }.first
            guard let (place, positions) = twin else {
                merged.append(group)
                continue
            }
            for position in positions {
                let known = merged[place].segments[position]
                merged[place].segments[position].values =
                    (known.values ?? [known.decoded]).union([group.segments[position].decoded])
            }
            merged[place].samples += group.samples
        }
        return merged
    }

    /// The maximum number of values that name a parent: an owner and a name.
    private static let variablesMax = 2

    private func differences(from other: DraftGroup) -> [Int]? {
        guard segments.count == other.segments.count, rowsPath == other.rowsPath,
            samples[0].send == other.samples[0].send
        else { return nil }
        let different = segments.indices.filter { place in
            other.segments[place].values != nil || segments[place] != other.segments[place]
        }
        guard (1...Self.variablesMax).contains(different.count), different[0] > 0,
            different.last! < segments.count - 1
        else { return nil }
        let (own, others) = (Set(members), Set(other.members))
        return own.intersection(others).count * 2 >= max(own.count, others.count) ? different : nil
    }

    private var members: [[UInt8]] {
        answers.first?.first?.members.map { Array($0.name.utf8) } ?? []
    }
}
