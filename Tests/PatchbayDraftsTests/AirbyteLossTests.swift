import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Losses of drafts from manifests of Airbyte")
struct AirbyteLossTests {
    private static let shelves = """
        - name: shelves
          primary_key: id
          retriever:
            record_selector: {extractor: {field_path: []}}
            requester: {url_base: "https://api.books.example.org/v1", path: shelves}
          schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: integer}}}}
        """

    private func child(_ requester: String, option: String = "", path: String = "/books") -> AirbyteManifests
    {
        let router =
            "partition_router: {type: SubstreamPartitionRouter, parent_stream_configs: [{stream: {name: shelves}, "
            + "parent_key: id, partition_field: shelf\(option)}]}"
        return AirbyteManifests(retriever: router, requester: requester, path: path, streams: Self.shelves)
    }

    private func other(_ requester: String) -> String {
        """
        - name: pages
          primary_key: id
          retriever:
            record_selector: {extractor: {field_path: []}}
            requester: {url_base: "https://api.books.example.org/v1", path: pages, \(requester)}
          schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: integer}}}}
        """
    }

    @Test(
        "a list whose requests lack the value of its partition is left out",
        arguments: [
            (
                "request_parameters: {shelf: \"{{ stream_slice.shelf | upper }}\"}",
                "sends the value of its partition in a computed value (line "
            ),
            (
                "request_parameters: {shelf: \"{{ stream_slice }}\"}",
                "sends the value of its partition in a computed value (line "
            ),
            (
                "request_headers: {Shelf: \"{{ stream_partition['shelf'] }}\"}",
                "sends the value of its partition in a header (line "
            ),
            (
                "request_body_json: {shelf: \"{{ stream_partition['shelf'] }}\"}",
                "sends the value of its partition in the body of a GET (line "
            ),
            (
                "request_parameters: {shelf: \"{{ stream_slice.get('room') }}\"}",
                "needs room, which no partition has (line "
            ),
            ("", "does not send which row of shelves it belongs to"),
        ])
    func unsentPartitions(_ requester: String, _ reason: String) throws {
        let draft = try child(requester).draft()
        #expect(try draft.definition().resources.map(\.name) == ["shelves"])
        let out = draft.sentences.first { $0.hasPrefix("left out: ") } ?? ""
        #expect(out.contains("books \(reason)"), "\(out)")
    }

    @Test("a computed parameter beside the value of the partition is left out alone")
    func sentPartitions() throws {
        let manifest = child(
            "request_parameters: {name: \"{{ stream_slice.shelf | upper }}\"}",
            path: "/shelves/{{ stream_slice.shelf }}/books")
        #expect(try manifest.value("books.path") == "/v1/shelves/{shelves.id}/books")
        #expect(try manifest.correction() == "books lacks the parameter name")
    }

    @Test("an array of one value is sent as the value, and in JSON as an array")
    func arrays() throws {
        let value = "{shelves: \"{{ [ stream_slice['shelf'] ] }}\"}"
        let query = child("request_parameters: \(value)")
        #expect(try query.value("books.path") == "/v1/books?shelves={shelves.id}")
        let json = child("http_method: POST\nrequest_body_json: \(value)")
        #expect(try json.value("books.path") == "/v1/books?shelves/0={shelves.id}")
        #expect(try json.value("books.send") == "json")
        let two = child("request_parameters: {shelves: \"{{ [stream_slice['shelf'], 1] }}\"}")
        #expect(try two.draft().sentences.contains { $0.contains("in a computed value") })
    }

    @Test("the value of a partition may be in the body of a POST")
    func bodies() throws {
        func option(_ place: String) -> String {
            ", request_option: {type: RequestOption, inject_into: \(place), field_name: shelf}"
        }
        let body = child("http_method: POST", option: option("body_json"))
        #expect(try body.value("books.path") == "/v1/books?shelf={shelves.id}")
        for (method, place) in [("POST", "request_parameter"), ("GET", "body_json"), ("GET", "header")] {
            let draft = try child("http_method: \(method)", option: option(place)).draft()
            #expect(
                draft.sentences.contains {
                    $0.contains("books sends the value of its partition in \(place)")
                },
                "\(draft.sentences)")
        }
    }

    @Test("the summary names filters and parameters that are left out")
    func corrections() throws {
        let manifest = AirbyteManifests(
            selector: """
                record_selector:
                  extractor: {type: DpathExtractor, field_path: [data]}
                  record_filter: {type: RecordFilter, condition: "{{ record.n > 1 }}"}
                """,
            requester: """
                request_headers: {X-Time: "{{ now_utc() }}"}
                request_parameters: {lat: "{{ config['lat'] | float }}", lon: "{{ config['lon'] | float }}"}
                """,
            streams: other("request_parameters: {lat: \"{{ config['lat'] | float }}\"}"))
        #expect(
            try manifest.correction()
                == "rows of books are not filtered; books lacks the parameters lat, lon and the header "
                + "X-Time; pages lacks the parameter lat")
    }

    @Test("lists that need another value of a header than most are left out, unless they are drafted alone")
    func headers() throws {
        let header = "request_headers: {X-Version: \"2\", Accept: text/plain}"
        let manifest = AirbyteManifests(
            requester: "request_headers: {X-Version: \"1\"}",
            streams: other(header) + "\n" + other(header).replacing("pages", with: "lines"))
        let draft = try manifest.draft()
        #expect(try draft.definition().resources.map(\.name) == ["pages", "lines"])
        #expect(
            draft.sentences.contains(
                "left out: books needs the header x-version: 1, but other lists need 2"), "\(draft.sentences)"
        )
        let alone = try manifest.draft(only: ["books"])
        #expect(alone.text.contains("\nheader.x-version = 1\n"), "\(alone.text)")
        let some = AirbyteManifests(streams: other("request_headers: {X-Version: \"2\"}"))
        #expect(try some.value("header.x-version") == "2")
        #expect(
            try some.correction()
                == "header.x-version, which the connector does not send for books")
    }

    @Test("two secrets without an authenticator are both sent, and the summary names a third")
    func secrets() throws {
        let keys = "A-Key: \"{{ config['a_key'] }}\", B-Key: \"{{ config['b_key'] }}\""
        let two = AirbyteManifests(
            requester: "authenticator: {type: NoAuth}\nrequest_headers: {\(keys)}")
        #expect(try two.value("auth") == "header a-key" && two.value("auth-second") == "header b-key")
        let three = AirbyteManifests(
            requester: "request_headers: {\(keys)}\nrequest_parameters: {c: \"{{ config['c_key'] }}\"}")
        let sentences = try three.draft().sentences
        #expect(
            sentences.contains("left out: the secret in header b-key, because there are others"),
            "\(sentences)")
    }

    @Test("the summary names a second way to authorise requests")
    func authenticators() throws {
        func token(_ name: String) -> String {
            "authenticator: {type: BearerAuthenticator, api_token: \"{{ config['\(name)'] }}\"}"
        }
        let one = AirbyteManifests(requester: token("token"), streams: other(token("token")))
        #expect(try one.value("auth") == "bearer" && one.correction() == nil)
        let two = AirbyteManifests(requester: token("token"), streams: other(token("admin_token")))
        let words = "because the connector authorises some requests in another way"
        #expect(try two.correction() == "auth, \(words)")
    }

    private static let spec = """
        spec:
          connection_specification:
            required: [code, list]
            properties:
              code: {type: string, airbyte_secret: true}
              list: {type: array, airbyte_secret: true}
              keys: {type: array}
              more: {type: object, oneOf: [{properties: {inner: {type: string, airbyte_secret: true}}}]}
        """

    @Test(
        "a secret in the query of an address is the authorisation",
        arguments: [
            ("/books?a=b&pass={{ config['code'] }}", "/v1/books?a=b", "query pass"),
            ("/books?pass={{ config['more']['inner'] }}", "/v1/books", "query pass"),
            ("/books?apiKey={{ config['any'] }}&sort=up", "/v1/books?sort=up", nil),
            ("/books?key={{ config['api_key'] }}", "/v1/books", "query key"),
            ("/books?ids={{ ','.join(config['list']) }}", "/v1/books?ids={list}", nil),
            ("/books?ids={{ ','.join(config['keys']) }}", "/v1/books?ids={keys}", nil),
        ] as [(String, String, String?)])
    func addresses(_ path: String, _ written: String, _ auth: String?) throws {
        let manifest = AirbyteManifests(top: Self.spec, path: path)
        #expect(try manifest.value("books.path") == written)
        #expect(try manifest.value("auth") == (path.contains("apiKey") ? "query apiKey" : auth))
        #expect(try manifest.value("setting.code") == nil && manifest.correction() == nil)
    }

    @Test("the summary names a declared secret that is another part of an address")
    func settings() throws {
        let manifest = AirbyteManifests(top: Self.spec, path: "/books/{{ config['code'] }}")
        #expect(try manifest.value("books.path") == "/v1/books/{code}")
        #expect(try manifest.correction() == "the secret setting code is in addresses of books")
    }

    private func paged(_ strategy: String, _ requester: String = "") -> AirbyteManifests {
        let option = "{type: RequestOption, inject_into: request_parameter, field_name: "
        return AirbyteManifests(
            retriever: """
                ignore_stream_slicer_parameters_on_paginated_requests: true
                partition_router:
                  {type: ListPartitionRouter, values: [x, y], cursor_field: kind, request_option: \(option)kind}}
                paginator:
                  type: DefaultPaginator
                  page_token_option: \(option)after}
                  pagination_strategy: {\(strategy)}
                """, requester: requester)
    }

    @Test("later pages are requested without the value of the partition, or the summary names it")
    func laterPages() throws {
        let cursor = "type: CursorPagination, cursor_value: \"{{ response.next }}\""
        #expect(try paged(cursor).value("books.next") == "cursor after next alone")
        #expect(try paged(cursor).correction() == nil)
        for other in [
            paged(cursor, "request_parameters: {a: b}"), paged("type: OffsetIncrement, page_size: 5"),
        ] {
            #expect(
                try other.correction()
                    == "later pages of books, which the connector requests without kind")
        }
    }
}
