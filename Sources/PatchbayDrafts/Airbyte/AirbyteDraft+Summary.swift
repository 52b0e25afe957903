/// Adds what must be corrected to the summary.
extension AirbyteDraft {
    mutating func summarize(_ streams: [AirbyteStream]) {
        let changed = streams.filter { !$0.changes.isEmpty }.map(\.name)
        if !changed.isEmpty {
            let names = DraftWords.list(changed)
            summary.corrections.append("paths in \(names), because the connector changes these rows")
        }
        let guessed = streams.filter(\.isStartGuessed).map(\.name)
        if !guessed.isEmpty {
            let names = DraftWords.list(guessed)
            summary.corrections.append(
                "since-start or the first time in \(names), because it is a guess and older rows are not requested"
            )
        }
        summarizeHeaders(streams)
        summary.corrections += AirbyteLack.sentences(streams.map { ($0.name, $0.lacks) })
    }
}
