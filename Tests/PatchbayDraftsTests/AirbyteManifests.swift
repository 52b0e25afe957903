import Testing

@testable import PatchbayDrafts

/// A small manifest with the list `books`, whose parts tests replace. Each part has one or several lines of YAML
/// without an indentation.
struct AirbyteManifests {
    /// Members of the manifest.
    var top = ""
    var stream = ""
    var key = "primary_key: [id]"
    var retriever = ""
    var selector =
        "record_selector: {type: RecordSelector, extractor: {type: DpathExtractor, field_path: [data]}}"
    var requester = ""
    var base = "https://api.books.example.org/v1"
    var path = "/books"
    var properties = "id: {type: integer}, at: {type: string}, title: {type: string}"
    /// Further elements of `streams`.
    var streams = ""

    var yaml: String {
        """
        type: DeclarativeSource
        check: {type: CheckStream, stream_names: [books]}
        \(top)
        streams:
          - type: DeclarativeStream
            name: books
        \(lines(key, stream, depth: 4))
            retriever:
              type: SimpleRetriever
        \(lines(selector, retriever, depth: 6))
              requester:
                type: HttpRequester
                url_base: "\(base)"
                path: "\(path)"
        \(lines(requester, depth: 8))
            schema_loader:
              type: InlineSchemaLoader
              schema: {properties: {\(properties)}}
        \(lines(streams, depth: 2))
        """
    }

    private func lines(_ parts: String..., depth: Int) -> String {
        parts.flatMap { $0.split(separator: "\n") }.map { String(repeating: " ", count: depth) + $0 }
            .joined(separator: "\n")
    }

    func draft(only: [String] = []) throws -> DefinitionDraft {
        try #require(
            try DefinitionDraft.manifest(in: Array(yaml.utf8), only: only, name: "x", source: "m.yaml"))
    }

    /// The text of the draft, which has no fault, with neighbouring lines of comments joined.
    func text() throws -> String {
        let draft = try draft()
        _ = try draft.definition()
        return draft.text.split(separator: "\n", omittingEmptySubsequences: false).reduce("") { text, line in
            let isJoined =
                line.hasPrefix("# ")
                && text.split(separator: "\n", omittingEmptySubsequences: false).last?.hasPrefix("#") == true
            return text + (isJoined ? " \(line.dropFirst(2))" : "\n\(line)")
        }
    }

    /// The line of a key in the draft; nil when there is none.
    func value(_ key: String) throws -> String? { try draft().value(key) }

    func correction() throws -> String? { try draft().correction }

    /// Why the list is left out.
    func refusal() -> String {
        let error = #expect(throws: (any Error).self) { try draft() }
        return error.map { "\($0)" } ?? ""
    }
}
