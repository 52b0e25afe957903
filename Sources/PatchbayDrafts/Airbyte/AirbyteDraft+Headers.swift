import PatchbayCore

/// Chooses the headers, which a definition sends with every request.
extension AirbyteDraft {
    /// The streams whose requests may have the same headers: those that need no other value of a header than most
    /// streams. The others are left out.
    mutating func withEqualHeaders(_ streams: [AirbyteStream]) -> [AirbyteStream] {
        var kept = streams
        for header in streams.flatMap(\.headers).map(\.name).distinct {
            let values = kept.compactMap { $0.header(header) }
            let counts = Dictionary(grouping: values) { $0 }.mapValues(\.count)
            // The first one of those that are equally frequent.
            let most = counts.values.max()
            guard counts.count > 1, let chosen = values.first(where: { counts[$0] == most }) else { continue }
            for stream in kept {
                guard let value = stream.header(header), value != chosen else { continue }
                let words = "\(DraftWords.shown(header)): \(DraftWords.shown(value))"
                refuse(stream, "needs the header \(words), but other lists need \(DraftWords.shown(chosen))")
            }
            kept.removeAll { $0.header(header).map { $0 != chosen } ?? false }
        }
        return kept
    }

    /// Names the headers that the connector does not send for some lists.
    mutating func summarizeHeaders(_ streams: [AirbyteStream]) {
        for header in streams.flatMap(\.headers).map(\.name).distinct {
            let others = streams.filter { $0.header(header) == nil }.map(\.name)
            if others.isEmpty { continue }
            summary.corrections.append(
                "header.\(DraftWords.shown(header)), which the connector does not send for "
                    + DraftWords.list(others))
        }
    }
}

extension AirbyteStream {
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
