import PatchbayCore
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

        init(_ text: String) {
            self.text = text
            let word = PercentEncoding.decoded(text)
            guard word.hasPrefix("{"), word.hasSuffix("}") else { return }
            values = []
            name = DraftWords.name(String(word.dropFirst().dropLast()), other: "value")
        }

        var decoded: String { PercentEncoding.decoded(text) }
    }

    var segments: [Segment]
    let rowsPath: JSONPath
    /// Other places with rows in the first answer.
    let otherPlaces: [JSONPath]
    var samples: [DraftSample]
    /// The answers of rows' own addresses, and the template of these addresses.
    var details: [JSONValue] = []
    var show: DraftShow?

    /// Whether the answers come from a document, so that nothing can be said about their values.
    var isDescribed: Bool { samples[0].isDescribed }

    /// The rows of each answer.
    var answers: [[JSONValue]] { samples.map { RowPlaces.rows(at: rowsPath, in: $0.body) ?? [] } }

    /// The answers for each value of the variables.
    var answersByAddress: [[[JSONValue]]] {
        Dictionary(grouping: samples) { $0.address?.segments ?? [] }.values.map { samples in
            samples.map { RowPlaces.rows(at: rowsPath, in: $0.body) ?? [] }
        }
    }

    var variables: [Int] { segments.indices.filter { segments[$0].values != nil } }

    /// The last part of the path that is not a variable, as a name.
    func noun(after base: Int) -> String? {
        let fixed = segments.dropFirst(base).last { segment in
            // A part that may be a secret is not used as a name.
            segment.values == nil && !segment.text.isEmpty && DraftText.line("path", segment.text) != nil
        }
        return fixed.map { segment in
            var words = segment.decoded.split(separator: ".").map(String.init)
            // The noun of `users.list` and `users.json` is `users`.
            while words.count > 1, ["list", "json", "all", "get"].contains(words.last?.lowercased()) {
                words.removeLast()
            }
            return DraftWords.name(words.joined(separator: "-"), other: "rows")
        }
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
    /// - Parameter rows: the place of the rows; nil searches for them.
    static func all(in samples: [DraftSample], rows: JSONPath?) -> [DraftGroup] {
        var groups: [DraftGroup] = [], placeOfAddress: [String: Int] = [:]
        for sample in samples {
            let address =
                sample.address.map { "\(sample.send) \($0.origin)\($0.pathOnly)" } ?? ""
            if let place = placeOfAddress[address] ?? sample.address.flatMap({ placeOfAddress[$0.text] }) {
                groups[place].samples.append(sample)
            } else {
                let places =
                    rows.map { path in
                        RowPlaces.rows(at: path, in: sample.body).map { [(path: path, rows: $0)] } ?? []
                    } ?? RowPlaces.all(in: sample.body)
                guard let first = places.first, !first.rows.isEmpty,
                    rows != nil || samples.count == 1 || !RowPlaces.isRow(sample.body, besides: first.path)
                else { continue }
                placeOfAddress[address] = groups.count
                groups.append(
                    DraftGroup(
                        segments: (sample.address?.segments ?? []).map { Segment($0) }, rowsPath: first.path,
                        otherPlaces: places.dropFirst().map(\.path), samples: [sample]))
            }
            // A next page may have a different path from the first.
            let place = placeOfAddress[address] ?? sample.address.flatMap { placeOfAddress[$0.text] }
            let next = sample.next.flatMap { sample.address?.resolving($0) }
            if let next { placeOfAddress[next.text] = place }
        }
        return merged(groups)
    }

    /// Joins lists whose paths differ in one or two values between other parts, and whose rows have the same fields.
    private static func merged(_ groups: [DraftGroup]) -> [DraftGroup] {
        var merged: [DraftGroup] = []
        for group in groups {
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
