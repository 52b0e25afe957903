import PatchbayCore

/// What the requests or rows of a draft lack, compared with those of the connector.
enum AirbyteLack: Hashable {
    /// Rows that the connector leaves out are kept.
    case filter
    /// A part of requests: `the parameter lat`.
    case part(String)
    /// Later pages are requested without these parameters.
    case pages(_ parameters: [String])
    /// A setting that the connector declares as a secret is a part of addresses.
    case safety(of: String)

    /// The lacks of all streams as parts of a sentence, each with the names of its streams.
    static func sentences(_ lacks: [(name: String, lacks: [AirbyteLack])]) -> [String] {
        var sentences: [String] = []
        let parameter = "the parameter "
        let unfiltered = lacks.filter { $0.lacks.contains(.filter) }.map(\.name)
        if !unfiltered.isEmpty { sentences.append("rows of \(DraftWords.list(unfiltered)) are not filtered") }
        let parts = lacks.map { lack in
            let all = lack.lacks.compactMap(\.part).distinct
            let parameters = all.filter { $0.hasPrefix(parameter) }.map { $0.dropFirst(parameter.count) }
            let most = DraftWords.list(parameters.map(String.init))
            let first = parameters.isEmpty ? "" : "the parameter\(parameters.count == 1 ? "" : "s") \(most)"
            let others = DraftWords.list(all.filter { !$0.hasPrefix(parameter) })
            return (
                name: lack.name, parts: [first, others].filter { !$0.isEmpty }.joined(separator: " and ")
            )
        }
        for parameters in lacks.flatMap(\.lacks).compactMap(\.firstOnly).distinct {
            let names = lacks.filter { $0.lacks.contains(.pages(parameters)) }.map(\.name)
            sentences.append(
                "later pages of \(DraftWords.list(names)), which the connector requests without "
                    + DraftWords.list(parameters))
        }
        for setting in lacks.flatMap(\.lacks).compactMap(\.setting).distinct {
            let names = lacks.filter { $0.lacks.contains(.safety(of: setting)) }.map(\.name)
            sentences.append(
                "the secret setting \(DraftWords.shown(setting)) is in addresses of \(DraftWords.list(names))"
            )
        }
        for part in parts.map(\.parts).distinct where !part.isEmpty {
            let names = parts.filter { $0.parts == part }.map(\.name)
            sentences.append("\(DraftWords.list(names)) \(names.count == 1 ? "lacks" : "lack") \(part)")
        }
        return sentences
    }

    private var part: String? { if case .part(let part) = self { part } else { nil } }

    private var firstOnly: [String]? { if case .pages(let parameters) = self { parameters } else { nil } }

    private var setting: String? { if case .safety(let setting) = self { setting } else { nil } }
}

extension AirbyteStream {
    mutating func note(_ text: String, _ place: String = "") {
        notes.append(text + (place.isEmpty ? "" : manifest.place(of: place)))
    }

    /// Notes that requests lack a part, which the summary names as well.
    mutating func lack(_ part: String, _ text: String, _ place: String = "") {
        lacks.append(.part("the \(part)"))
        note("the \(part) \(text)", place)
    }
}
