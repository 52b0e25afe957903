import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Drafts of definitions from manifests of Airbyte")
struct AirbyteTests {
    private func draft(_ yaml: String, only: [String] = []) throws -> DefinitionDraft {
        let files = [
            "schemas/trees.json": #"{"properties":{"id":{"type":"string"},"age":{"type":["null","number"]}}}"#
        ]
        return try #require(
            try DefinitionDraft.manifest(in: Array(yaml.utf8), only: only, name: "x", source: "m.yaml") {
                files[$0].map { Array($0.utf8) }
            })
    }

    private static let manifest = """
        version: 1.0.0
        type: DeclarativeSource
        check: {type: CheckStream, stream_names: [parks]}
        definitions:
          requester:
            type: HttpRequester
            url_base: "https://{{ config['region'] }}.parks.example.org/v2/"
            http_method: GET
            request_headers: {Accept-Version: "3"}
            authenticator:
              type: ApiKeyAuthenticator
              api_token: "Token {{ config['api_key'] }}"
              inject_into: {type: RequestOption, inject_into: header, field_name: Authorization}
          selector: {type: RecordSelector, extractor: {type: DpathExtractor, field_path: [data]}}
          cursor:
            type: DefaultPaginator
            page_size_option: {inject_into: request_parameter, field_name: per_page}
            page_token_option: {type: RequestOption, inject_into: request_parameter, field_name: after}
            pagination_strategy:
              type: CursorPagination
              page_size: 50
              cursor_value: '{{ response.get("paging", {}).get("after") }}'
              stop_condition: "{{ not response['has_more'] }}"
          parks:
            type: DeclarativeStream
            $parameters: {name: parks, path: parks}
            primary_key: id
            retriever:
              type: SimpleRetriever
              requester:
                $ref: '#/definitions/requester'
                request_parameters:
                  sort: "{{ parameters['name'] }}"
                  start: "{{ config['start_date'] }}"
                  depth: "{{ config.get('depth', 2) }}"
              record_selector: {$ref: '#/definitions/selector'}
              paginator: {$ref: '#/definitions/cursor'}
            incremental_sync:
              type: DatetimeBasedCursor
              cursor_field: updated_at
              datetime_format: "%Y-%m-%dT%H:%M:%SZ"
              start_time_option: {inject_into: request_parameter, field_name: since}
            schema_loader:
              type: InlineSchemaLoader
              schema:
                properties:
                  id: {type: [integer, "null"]}
                  updated_at: {type: string, format: date-time}
                  Open Hours: {type: object}
                  area: {type: [number, "null"]}
        streams:
          - $ref: '#/definitions/parks'
          - type: DeclarativeStream
            name: trees
            primary_key: [id]
            retriever:
              type: SimpleRetriever
              requester: {$ref: '#/definitions/requester', path: "parks/{{ stream_partition.park }}/trees"}
              record_selector: {$ref: '#/definitions/selector', record_filter: {condition: "{{ record.age > 1 }}"}}
              paginator:
                type: DefaultPaginator
                page_token_option: {inject_into: request_parameter, field_name: page}
                pagination_strategy: {type: PageIncrement, start_from_page: 1, page_size: 10}
              partition_router:
                type: SubstreamPartitionRouter
                parent_stream_configs:
                  - {stream: {$ref: '#/definitions/parks'}, parent_key: id, partition_field: park}
          - type: DeclarativeStream
            name: gates
            retriever:
              type: SimpleRetriever
              requester: {$ref: '#/definitions/requester', path: /gates}
              record_selector: {extractor: {field_path: []}}
              partition_router: {type: ListPartitionRouter, values: [north, south], cursor_field: side,
                request_option: {inject_into: request_parameter, field_name: side}}
          - type: DeclarativeStream
            name: odd
            retriever:
              type: SimpleRetriever
              requester: {type: CustomRequester, class_name: source_parks.components.OddRequester}
              record_selector: {$ref: '#/definitions/selector'}
          - type: DeclarativeStream
            name: computed
            primary_key: id
            retriever:
              type: SimpleRetriever
              requester: {$ref: '#/definitions/requester', path: "x/{{ now_utc().year }}"}
              record_selector: {$ref: '#/definitions/selector'}
          - type: DeclarativeStream
            name: visits
            primary_key: id
            retriever:
              type: SimpleRetriever
              requester: {$ref: '#/definitions/requester', path: "sites/{{ config['site_id'] }}/visits"}
              record_selector:
                $ref: '#/definitions/selector'
                record_filter: {condition: "{{ record['kind'] != 'a b' }}"}
            incremental_sync:
              type: DatetimeBasedCursor
              cursor_field: at
              datetime_format: "%Y/%m/%d %H:%M"
              start_datetime: {type: MinMaxDatetime, datetime: "{{ config.get('start', '2020-02-01T00:00:00Z') }}"}
              step: P1M
              start_time_option: {inject_into: request_parameter, field_name: from}
              end_time_option: {inject_into: request_parameter, field_name: to}
        """

    @Test("streams become lists with their pages, keys, fields, parents and increments")
    func streams() throws {
        let draft = try draft(Self.manifest), definition = try draft.definition()
        #expect(definition.baseURL == "https://{region}.parks.example.org")
        #expect(definition.authorization == .header(name: "Authorization", prefix: "Token "))
        #expect(definition.headers.map(\.name) == ["accept-version"])
        #expect(definition.resources.map(\.name) == ["parks", "gates", "visits", "trees"], "\(draft.text)")
        let parks = definition.resources[0], trees = definition.resources[3]
        #expect(parks.lists[0].template.description == "/v2/parks?sort=parks&depth=2&per_page=50")
        #expect(draft.text.contains("\nparks.next = cursor after paging/after\nparks.end = not has_more\n"))
        #expect(draft.text.contains("\nparks.since = since updated-at\n") && parks.key == ["id"])
        let types = Dictionary(uniqueKeysWithValues: parks.fields.map { ($0.name, $0.type) })
        #expect(types == ["id": .integer, "updated_at": .time, "open_hours": .json, "area": .real])
        #expect(trees.lists[0].template.description == "/v2/parks/{parks.id}/trees")
        #expect(trees.paging == .page(parameter: "page", first: 1) && trees.rows.description == "data")
        #expect(trees.fields.contains { $0.name == "age" && $0.type == .real })
        let gates = definition.resources[1]
        #expect(
            gates.lists[0].template.description == "/v2/gates?side={side}" && gates.key == ["side", "place"])
        #expect(gates.each?.argument == "side" && gates.each?.values == ["north", "south"])
    }

    @Test(
        "a cursor in the last element of the rows is that of the last row, and added members are left out"
    )
    func lastRow() throws {
        let cursor = #"'{{ response.get("paging", {}).get("after") }}'"#
        let loader = "    schema_loader:\n      type: InlineSchemaLoader\n"
        #expect(Self.manifest.contains(cursor) && Self.manifest.contains(loader))
        func parks(_ value: String, only: [String] = ["parks"]) throws -> String {
            let text = Self.manifest.replacing(cursor, with: "\"{{ response\(value) }}\"").replacing(
                loader,
                with: "    transformations:\n      - type: AddFields\n        fields:\n"
                    + "          - {path: [area], value: \"{{ config['area'] }}\"}\n"
                    + "          - {path: [Open Hours], value: \"{{ record['x'] }}\"}\n" + loader)
            return try draft(text, only: only).text
        }
        let text = try parks("['data'][-1]['id']")
        #expect(text.contains("\nparks.next = last after id\nparks.end = not has_more\n"), "\(text)")
        #expect(text.contains("parks.field.open-hours") && !text.contains("parks.field.area"))
        #expect(text.contains("# Fields that the connector computes are not declared"))
        #expect(try parks("['other'][-1]['id']", only: []).contains("# Left out: parks computes"))
    }

    @Test("a stream without a key is requested whole, from the beginning that the connector states")
    func places() throws {
        let key = "    primary_key: id\n    retriever", form = "%Y-%m-%dT%H:%M:%SZ\"\n"
        #expect(Self.manifest.contains(key) && Self.manifest.contains(form))
        let keyless = Self.manifest.replacing(key, with: "    retriever").replacing(
            "id: {", with: "number: {"
        ).replacing("{stream: {$ref: '#/definitions/parks'}", with: "{stream: {name: other}")
        let draft = try draft(keyless, only: ["parks"])
        #expect(
            try draft.definition().doubts.isEmpty && !draft.text.contains("\nparks.since = "), "\(draft.text)"
        )
        #expect(
            draft.text.contains(
                "# The stream has no primary key, so every sync requests the whole list; look"))
        let beginning = keyless.replacing(form, with: form + "      start_datetime: '2020-02-01'\n")
        let dated = try self.draft(beginning, only: ["parks"]).definition().resources[0]
        #expect(
            dated.since == nil
                && dated.lists[0].template.description.contains("&since=2020-02-01T00%3A00%3A00Z"),
            "\(dated.lists[0].template)")
    }

    @Test("settings, periods and conditions are those of the connector")
    func settings() throws {
        let draft = try draft(Self.manifest, only: ["visits"]), definition = try draft.definition()
        #expect(definition.settings.map(\.name).sorted() == ["region", "site_id"])
        let visits = definition.resources[0], since = try #require(visits.since)
        let form = "yyyy/MM/dd%20HH:mm"
        #expect(
            visits.lists[0].template.description
                == "/v2/sites/{site-id}/visits?from={since:\(form)}&to={until:\(form)}",
            "\(draft.text)")
        #expect(since.field == "at" && since.parameter == nil && since.window == .seconds(30 * 86_400))
        #expect(since.start == Timestamp("2020-02-01"))
        #expect(visits.condition?.value == "a b" && visits.condition?.isNegated == true)
    }

    @Test("a secret in a header becomes the second one, and values in the configuration a setting")
    func secrets() throws {
        let header = "Accept-Version: \"3\", X-App-Key: \"{{ config['app_key'] }}\""
        let yaml = Self.manifest.replacing("Accept-Version: \"3\"", with: header)
            .replacing("values: [north, south]", with: "values: \"{{ config['wanted'] }}\"")
        let draft = try draft(yaml), definition = try draft.definition()
        #expect(definition.secondAuthorization == .header(name: "x-app-key", prefix: nil))
        #expect(
            draft.text.contains("\ngates.each = side {wanted}\n")
                && draft.text.contains("\nsetting.wanted = "))
    }

    @Test("an address keeps a part with an empty default, and loses the beginning of an empty query")
    func addressParts() throws {
        let path = "path: \"parks/{{ config['kind'] or '' }}?\"}"
        let text = try draft(Self.manifest.replacing("path: parks}", with: path)).text
        #expect(text.contains("parks.path = /v2/parks/{kind}?"), "\(text)")
        #expect(!text.contains("??") && text.contains("setting.kind = "))
    }

    @Test("what cannot be expressed is left out with its line and reason; code is named, never read")
    func refusals() throws {
        let draft = try draft(Self.manifest)
        let out = draft.sentences.first { $0.hasPrefix("left out: ") } ?? ""
        #expect(
            out.contains("odd needs the Python class source_parks.components.OddRequester (line "), "\(out)")
        #expect(out.contains("computed computes \"x/{{ now_utc().year }}\" (line "), "\(out)")
        #expect(draft.text.contains("# Rows are not filtered (line 59)."), "\(draft.text)")
        #expect(
            draft.text.contains("# The parameter start with a setting is left out (line 34)."),
            "\(draft.text)")
        #expect(draft.text.contains("\ngates.each = side north south\n"))
    }

    @Test("a list is drafted with the lists to whose rows it belongs")
    func only() throws {
        #expect(
            try draft(Self.manifest, only: ["trees"]).definition().resources.map(\.name) == [
                "parks", "trees",
            ])
    }

    @Test("a manifest of code only, in circles, or without streams is refused")
    func nothing() throws {
        let head =
            "check: {type: CheckStream}\ndefinitions: {a: {$ref: '#/definitions/b'}, b: {$ref: '#/definitions/a'}}\n"
        for streams in [
            "[]", "[{$ref: '#/definitions/a'}]", "[{type: CustomStream, class_name: a.B, name: x}]",
        ] {
            let error = #expect(throws: PatchbayError.self) { try draft(head + "streams: \(streams)") }
            #expect(error?.code == .invalidValue)
        }
        #expect(try DefinitionDraft.manifest(in: Array("{}".utf8), name: "x", source: "x") == nil)
    }

    @Test(
        "usual expressions are recognised, and no other one",
        arguments: [
            ("{{ config['a']['b'] }}", AirbyteTemplate.Part.setting("b", other: nil)),
            ("{{ config.get('size', 20) }}", .setting("size", other: "20")),
            ("{{ config['x'] or 'eu' }}", .setting("x", other: "eu")),
            ("{{ response.get('a', {}).get(\"b\", {}) }}", .answer(["a", "b"])),
            ("{{response.a['b']}}", .answer(["a", "b"])), ("{{ headers['Link']['next']['url'] }}", .nextLink),
            ("{{ last_records[-1]['id'] }}", .lastRow(["id"])),
            ("{{ stream_slice['start_time'] }}", .start(form: nil)),
            ("{{ stream_partition.parent_id }}", .partition("parent_id")),
            ("{{ now_utc() }}", .unknown("now_utc()")), ("{{ response.a + 1 }}", .unknown("response.a + 1")),
            ("{{ response.a | length }}", .unknown("response.a | length")), ("{{ 'x' }}", .literal("x")),
            ("{% if x %}1{% endif %}", .unknown("{% if x %}1{% endif %}")),
        ])
    func expressions(_ text: String, _ part: AirbyteTemplate.Part) {
        #expect(AirbyteTemplate(text).parts == [part])
    }
}
