import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Components in drafts from manifests of Airbyte")
struct AirbyteComponentTests {
    @Test(
        "a partition behind a reference is read, whether it is a component or a list of one",
        arguments: [
            "partition_router: {$ref: '#/definitions/routers'}", "partition_router: '#/definitions/routers'",
            "partition_router: {$ref: '#/definitions/router'}", "partition_router: '#/definitions/router'",
            "partition_router: ['#/definitions/router']",
        ])
    func references(_ line: String) throws {
        let router =
            "{type: ListPartitionRouter, values: [new, old], cursor_field: state, request_option: "
            + "{type: RequestOption, inject_into: request_parameter, field_name: state}}"
        let manifest = AirbyteManifests(
            top: "definitions:\n  router: \(router)\n  routers: ['#/definitions/router']", retriever: line)
        #expect(try manifest.value("books.path") == "/v1/books?state={state}")
        #expect(try manifest.value("books.each") == "state new old")
        let lost = AirbyteManifests(retriever: "partition_router: '#/definitions/router'")
        #expect(lost.refusal().contains("does not say to which stream it belongs"))
    }

    @Test(
        "a component's own parameters override outer ones, and replace empty members but not its other members"
    )
    func parameters() throws {
        let selector =
            "record_selector: {extractor: {type: DpathExtractor, $parameters: {member: inner}, "
            + "field_path: [\"{{ parameters.member }}\"]}}"
        let outer = "$parameters: {member: outer, path: /other, primary_key: isbn, title: {x: y}}"
        let manifest = AirbyteManifests(stream: outer, key: "primary_key: []", selector: selector)
        #expect(try manifest.value("books.rows") == "inner")
        #expect(try manifest.value("books.path") == "/v1/books")
        #expect(try manifest.value("books.key") == "isbn")
    }

    @Test("a parameter is not passed to the member of its own name")
    func ownNames() throws {
        let selector =
            "record_selector:\n  extractor: {type: DpathExtractor, field_path: [\"{{ parameters.extractor }}\"]}"
        let manifest = AirbyteManifests(
            stream: "$parameters: {extractor: a}", selector: selector)
        #expect(manifest.refusal().contains("computes the place of its rows"))
    }

    @Test("a text behind a reference is read")
    func texts() throws {
        let cursor = """
            incremental_sync:
              type: DatetimeBasedCursor
              cursor_field: '#/definitions/field'
              datetime_format: "%Y-%m-%d"
              start_time_option: {inject_into: request_parameter, field_name: from}
            """
        let manifest = AirbyteManifests(top: "definitions: {field: at}", stream: cursor)
        #expect(try manifest.value("books.since") == "from at date")
    }

    private static let children = """
        - type: DeclarativeStream
          name: pages
          $parameters: {name: outer}
          retriever:
            type: SimpleRetriever
            record_selector: {extractor: {type: DpathExtractor, field_path: []}}
            requester:
              {type: HttpRequester, url_base: "https://api.books.example.org/v1",
              path: "/shelves/{{ stream_partition.shelf }}/pages"}
            partition_router:
              type: SubstreamPartitionRouter
              parent_stream_configs: {stream: '#/definitions/shelves', parent_key: id, partition_field: shelf}
        """

    @Test("a parent that is not a list of the connector is drafted under its own name, with its key's type")
    func parents() throws {
        let shelves = """
            definitions:
              shelves:
                type: DeclarativeStream
                $parameters: {name: shelves}
                primary_key: id
                retriever:
                  type: SimpleRetriever
                  record_selector: {extractor: {type: DpathExtractor, field_path: []}}
                  requester: {type: HttpRequester, url_base: "https://api.books.example.org/v1", path: shelves}
                schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: integer}}}}
            """
        let manifest = AirbyteManifests(top: shelves, streams: Self.children)
        let definition = try manifest.draft().definition()
        #expect(definition.resources.map(\.name) == ["books", "shelves", "pages"])
        #expect(try manifest.value("pages.path") == "/v1/shelves/{shelves.id}/pages")
        #expect(try manifest.value("pages.key") == "parent-id place")
        #expect(try manifest.value("pages.field.parent-id") == "integer {shelves.id}")
    }

    @Test("a member that the connector sets to the parent's key is a field of the parent")
    func givenMembers() throws {
        let router =
            "partition_router: {type: SubstreamPartitionRouter, parent_stream_configs: [{stream: {name: shelves}, "
            + "parent_key: id, partition_field: shelf}]}"
        let added = "{path: [shelf_id], value: \"{{ stream_partition['shelf'] }}\"}"
        let shelves = """
            - name: shelves
              primary_key: id
              retriever:
                record_selector: {extractor: {field_path: []}}
                requester: {url_base: "https://api.books.example.org/v1", path: shelves}
              schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: integer}}}}
            """
        let manifest = AirbyteManifests(
            stream: "transformations: [{type: AddFields, fields: [\(added)]}]",
            key: "primary_key: [id, shelf_id]",
            retriever: router, path: "shelves/{{ stream_partition.shelf }}/books", streams: shelves)
        #expect(try manifest.value("books.key") == "id shelf-id")
        #expect(try manifest.value("books.field.shelf-id") == "integer {shelves.id}")
    }

    @Test(
        "a key that the connector computes is not declared",
        arguments: [
            "now_utc()", "record|hash('md5')", "record.shop.get('n') or record.m", "record['nn']|lower",
        ])
    func computedKeys(_ expression: String) throws {
        let value = "{path: [n], value: \"{{ \(expression) }}\"}"
        let manifest = AirbyteManifests(
            stream: "transformations: [{type: AddFields, fields: [\(value)]}]", key: "primary_key: [id, n]",
            properties: "id: {type: integer}, n: {type: string}")
        #expect(try manifest.value("books.key") == "place")
        #expect(try manifest.value("books.field.n") == nil)
        #expect(try manifest.text().contains("The connector computes n, a part of the key."))
        #expect(try manifest.text().contains("Fields that the connector computes are not declared."))
    }

    @Test(
        "a key that is computed from the row's member of the same name is a guess",
        arguments: [
            "record.n | lower", "record['n'] ~ '-1'", "record.get('n', 1) + 1", "record[\"n\"]|hash('md5')",
        ])
    func changedKeys(_ expression: String) throws {
        let value = "{path: [n], value: '{{ \(expression.replacing("'", with: "''")) }}'}"
        let manifest = AirbyteManifests(
            stream: "transformations: [{type: AddFields, fields: [\(value)]}]", key: "primary_key: [n]",
            properties: "n: {type: string}")
        #expect(try manifest.value("books.key") == "n" && manifest.value("books.field.n") == "text")
        #expect(try manifest.text().contains("The connector changes n, a part of the key, for which"))
        #expect(try manifest.draft().sentences.contains("keys that are guesses: books"))
        #expect(try !manifest.text().contains("are not declared"))
    }

    @Test("the member that lists of its rows need is the key of a parent without one")
    func parentKeys() throws {
        let shelves = """
            - name: shelves
              retriever:
                record_selector: {extractor: {field_path: []}}
                requester: {url_base: "https://api.books.example.org/v1", path: shelves}
              schema_loader: {type: InlineSchemaLoader, schema: {properties: {}}}
            """
        let router =
            "partition_router: {type: SubstreamPartitionRouter, parent_stream_configs: [{stream: {name: shelves}, "
            + "parent_key: number, partition_field: shelf}]}"
        let manifest = AirbyteManifests(
            retriever: router, path: "shelves/{{ stream_partition.shelf }}/books", streams: shelves)
        #expect(
            try manifest.value("shelves.key") == "number" && manifest.value("shelves.field.number") == "text")
        #expect(try manifest.value("books.path") == "/v1/shelves/{shelves.number}/books")
        #expect(try manifest.text().contains("for which number, which other lists need, is a guess"))
        #expect(try manifest.draft().sentences.contains("keys that are guesses: shelves"))
    }

    private static func whole(_ name: String, _ path: String) -> String {
        """
        {type: DeclarativeStream, name: \(name), primary_key: id,
         incremental_sync: {type: DatetimeBasedCursor, cursor_field: at, datetime_format: "%s",
          start_datetime: "2020-01-01", start_time_option: {inject_into: request_parameter, field_name: from}},
         retriever: {type: SimpleRetriever, record_selector: {extractor: {type: DpathExtractor, field_path: []}},
          requester: {type: HttpRequester, url_base: "https://api.books.example.org/v1", path: \(path)}},
         schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: integer}, at: {type: integer}}}}}
        """
    }

    @Test("a stream that requests changes in another way is the list of all rows")
    func delegating() throws {
        let shelves = """
            - type: StateDelegatingStream
              name: shelves
              full_refresh_stream: \(Self.whole("shelves", "/shelves").split(separator: "\n").joined())
              incremental_stream: \(Self.whole("shelves", "/events").split(separator: "\n").joined())
            """
        let manifest = AirbyteManifests(
            streams: shelves + "\n" + Self.children.replacing("#/definitions/shelves", with: "#/streams/1"))
        #expect(try manifest.value("shelves.path") == "/v1/shelves")
        #expect(try manifest.value("shelves.since") == nil && manifest.value("shelves.key") == "id")
        #expect(try manifest.value("pages.path") == "/v1/shelves/{shelves.id}/pages")
    }

    @Test("streams that the connector has on a condition are drafted")
    func conditional() throws {
        let streams = """
            - type: ConditionalStreams
              condition: "{{ config['all'] }}"
              streams:
                - \(Self.whole("shelves", "/shelves").split(separator: "\n").joined())
                - \(Self.whole("rooms", "/rooms").split(separator: "\n").joined())
            """
        let definition = try AirbyteManifests(streams: streams).draft().definition()
        #expect(definition.resources.map(\.name) == ["books", "shelves", "rooms"])
    }

    @Test("a decoder with a parser for JSON reads JSON")
    func decoders() throws {
        func manifest(_ parser: String) -> AirbyteManifests {
            AirbyteManifests(retriever: "decoder: {type: CompositeRawDecoder, parser: {type: \(parser)}}")
        }
        #expect(try manifest("JsonParser").value("books.path") == "/v1/books")
        #expect(manifest("CsvParser").refusal().contains("has a CompositeRawDecoder"))
    }

    @Test(
        "the pace is that of the connector's slowest limit for all requests",
        arguments: [
            ("type: FixedWindowCallRatePolicy, period: PT1M, call_limit: 90, matchers: []", "90/minute"),
            (
                "type: MovingWindowCallRatePolicy, rates: [{limit: 3, interval: PT1S}, {limit: 60, interval: PT1M}], "
                    + "matchers: [{url_path_pattern: .*}]", "60/minute"
            ),
            (
                "type: MovingWindowCallRatePolicy, rates: [{limit: \"{{ config.get('n', 20) }}\", interval: PT10S}]",
                "2/second"
            ),
            ("type: FixedWindowCallRatePolicy, period: P1D, call_limit: 48", "2/hour"),
            ("type: FixedWindowCallRatePolicy, period: P1D, call_limit: 2", nil),
            ("type: UnlimitedCallRatePolicy, matchers: []", nil),
            (
                "type: FixedWindowCallRatePolicy, period: PT1M, call_limit: 9, matchers: [{url_path_pattern: /a}]",
                nil
            ),
        ] as [(String, String?)])
    func paces(_ policy: String, _ rate: String?) throws {
        let manifest = AirbyteManifests(top: "api_budget: {type: HTTPAPIBudget, policies: [{\(policy)}]}")
        #expect(try manifest.value("rate") == rate)
        _ = try manifest.draft().definition()
    }
}
