import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Partitions in drafts from manifests of Airbyte")
struct AirbytePartitionTests {
    private static func stream(
        _ name: String, path: String, routers: String, key: String = "primary_key: id"
    ) -> String {
        """
        - type: DeclarativeStream
          name: \(name)
          \(key)
          retriever:
            type: SimpleRetriever
            record_selector: {extractor: {type: DpathExtractor, field_path: []}}
            requester: {type: HttpRequester, url_base: "https://api.books.example.org/v1", path: "\(path)"}
            partition_router: [\(routers)]
          schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: string}}}}
        """
    }

    private static func child(of stream: String, as field: String) -> String {
        "{type: SubstreamPartitionRouter, parent_stream_configs: [{stream: {$ref: '#/streams/\(stream)'}, "
            + "parent_key: id, partition_field: \(field)}]}"
    }

    private static func list(_ field: String) -> String {
        "{type: ListPartitionRouter, values: [new, old], cursor_field: \(field)}"
    }

    @Test("a list may name the row to which its parent's row belongs")
    func grandparents() throws {
        let pages = Self.stream(
            "pages", path: "/books/{{ stream_partition.book }}/pages",
            routers: Self.child(of: "0", as: "book"))
        let lines = Self.stream(
            "lines",
            path: "/books/{{ stream_slice.parent_slice.book }}/pages/{{ stream_slice.page }}/lines",
            routers: Self.child(of: "1", as: "page"))
        let manifest = AirbyteManifests(streams: pages + "\n" + lines), text = try manifest.text()
        #expect(try manifest.value("pages.field.parent-id") == "integer {books.id}", "\(text)")
        #expect(
            try manifest.value("lines.path") == "/v1/books/{pages.parent-id}/pages/{pages.id}/lines",
            "\(text)")
        let definition = try manifest.draft().definition()
        #expect(definition.resources.map(\.name) == ["books", "pages", "lines"])
        // Pages of different books may have the same id.
        let keyless = lines.replacing("primary_key: id", with: "")
        let guessed = AirbyteManifests(streams: pages + "\n" + keyless)
        #expect(try guessed.value("lines.key") == "parent-id parent-parent-id id")
        #expect(try guessed.value("lines.field.parent-parent-id") == "integer {pages.parent-id}")
    }

    @Test("a key that has one of two fields of the parent in the address is doubted")
    func doubts() throws {
        let text = """
            format = 1
            api = x
            base-url = https://api.example.org
            pages.path = /pages
            pages.key = book id
            pages.field.book = text
            pages.field.id = text
            lines.path = /books/{pages.book}/pages/{pages.id}/lines
            lines.key = page id
            lines.field.page = text {pages.id}
            lines.field.book = text {pages.book}
            lines.field.id = text
            """
        func doubts(_ text: String) -> [String] {
            let (definition, faults) = Definition.reading(path: "", bytes: Array(text.utf8))
            #expect(faults.isEmpty, "\(faults)")
            return definition?.doubts.map(\.doubt) ?? []
        }
        let found = doubts(text)
        #expect(found.count == 1 && found[0].contains("name book in the key"), "\(found)")
        #expect(doubts(text.replacing("= page id", with: "= page book id")).isEmpty)
        #expect(doubts(text + "\nlines.key-scope = api").isEmpty)
    }

    @Test("a parent's list of values is such a row as well")
    func grandValues() throws {
        let pages = Self.stream(
            "pages", path: "/{{ stream_partition.state }}/pages", routers: Self.list("state"))
        let lines = Self.stream(
            "lines",
            path: "/{{ stream_partition.parent_slice['state'] }}/pages/{{ stream_partition.page }}/lines",
            routers: Self.child(of: "1", as: "page"))
        let manifest = AirbyteManifests(streams: pages + "\n" + lines), text = try manifest.text()
        #expect(try manifest.value("pages.field.parent-id") == "text {state}", "\(text)")
        #expect(try manifest.value("lines.path") == "/v1/{pages.parent-id}/pages/{pages.id}/lines")
    }

    @Test("of two streams to which a list belongs, one may belong to the other")
    func nested() throws {
        let pages = Self.stream(
            "pages", path: "/books/{{ stream_partition.book }}/pages",
            routers: Self.child(of: "0", as: "book"))
        func lines(_ routers: String, _ path: String, _ change: String = "") -> String {
            Self.stream("lines", path: path, routers: routers) + change
        }
        let (book, page) = (Self.child(of: "0", as: "book"), Self.child(of: "1", as: "page"))
        let path = "/books/{{ stream_partition.book }}/pages/{{ stream_partition.page }}/lines"
        for routers in [book + ", " + page, page + ", " + book] {
            let manifest = AirbyteManifests(streams: pages + "\n" + lines(routers, path))
            #expect(try manifest.value("pages.field.parent-id") == "integer {books.id}")
            #expect(
                try manifest.value("lines.path") == "/v1/books/{pages.parent-id}/pages/{pages.id}/lines")
            #expect(try manifest.draft().definition().resources.map(\.name) == ["books", "pages", "lines"])
        }
        let added = """

              transformations: [{type: AddFields, fields: [
                {path: [book], value: "{{ stream_partition.book }}"},
                {path: [page], value: "{{ stream_partition.page }}"}]}]
            """
        let short = AirbyteManifests(
            streams: pages + "\n"
                + lines(book + ", " + page, "/pages/{{ stream_partition.page }}/lines", added)
                .replacing("{id: {type: string}}", with: "{book: {type: integer}, page: {type: string}}"))
        let text = try short.text()
        #expect(try short.value("lines.field.book") == "integer {pages.parent-id}", "\(text)")
        #expect(try short.value("lines.field.page") == "text {pages.id}")
    }

    @Test("a list may belong to rows and take one of several values, or take several arguments")
    func several() throws {
        let both = Self.stream(
            "pages", path: "/books/{{ stream_partition.book }}/{{ stream_partition.state }}",
            routers: Self.child(of: "0", as: "book") + ", " + Self.list("state"))
        let manifest = AirbyteManifests(streams: both)
        #expect(try manifest.value("pages.path") == "/v1/books/{books.id}/{state}", "\(manifest)")
        #expect(try manifest.value("pages.each") == "state new old")
        let two = Self.stream(
            "pages", path: "/{{ stream_partition.state }}/{{ stream_partition.kind }}",
            routers: Self.list("state") + ", " + Self.list("kind"), key: "")
        let arguments = AirbyteManifests(streams: two), text = try arguments.text()
        #expect(try arguments.value("pages.path") == "/v1/{state}/{kind}", "\(text)")
        #expect(try arguments.value("pages.each") == nil && arguments.value("pages.key") == "state kind id")
        #expect(text.contains("{kind} is an argument, one of new, old."))
        #expect(text.contains("{state} is an argument, one of new, old."))
        let parents = Self.stream(
            "pages", path: "/x", routers: Self.child(of: "0", as: "a") + ", " + Self.child(of: "0", as: "b"))
        #expect(try AirbyteManifests(streams: parents).text().contains("belongs to rows of several streams"))
    }
}
