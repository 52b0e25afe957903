import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Requests in drafts from manifests of Airbyte")
struct AirbyteRequestTests {
    private static let option = "{type: RequestOption, inject_into: request_parameter, field_name: "

    @Test("a server whose name is computed becomes one that does not exist")
    func computedHost() throws {
        let base = "https://api-m.{{ 'sandbox.' if config['test'] }}pay.example.org/v1"
        let manifest = AirbyteManifests(base: base), draft = try manifest.draft()
        #expect(try draft.definition().baseURL == "https://api-m.pay.example.org.invalid", "\(draft.text)")
        #expect(try manifest.value("api") == "example")
        #expect(draft.text.contains("# The connector computes the server's name. Replace this one"))
        #expect(draft.correction == "base-url, because the connector computes the server's name")
        let odd = AirbyteManifests(base: "https://a@{{ now_utc() }}:80/v1")
        #expect(try odd.value("base-url") == "https://invalid")
        let part = AirbyteManifests(base: "https://api.books.example.org/{{ now_utc().year }}")
        #expect(try part.value("base-url") == "https://api.books.example.org")
        #expect(try part.text().contains("A part of the address is computed; correct \"value\" in it"))
    }

    @Test("the queries of the address, of the path and of the parameters are joined")
    func queries() throws {
        let manifest = AirbyteManifests(
            requester: "request_parameters: {a: b, limit: 5}", base: "https://api.books.example.org/v1?key=x",
            path: "/books?Full=true&limit=5")
        #expect(try manifest.value("books.path") == "/v1/books?key=x&Full=true&limit=5&a=b")
        let post = AirbyteManifests(
            requester: "http_method: POST\nrequest_body_json: {a: b}", path: "/books?Full=true")
        #expect(post.refusal().contains("has parameters in the address of a POST"))
    }

    @Test("a parameter whose name is computed or empty is left out with a note")
    func names() throws {
        let parameters = "request_parameters: {\"{{ config['order'] }}\": up, \"\": x, kind: novel}"
        let size = """
            paginator:
              type: DefaultPaginator
              page_size_option: \(Self.option)''}
              page_token_option: \(Self.option)page}
              pagination_strategy: {type: PageIncrement, page_size: 50, start_from_page: 1}
            """
        let manifest = AirbyteManifests(retriever: size, requester: parameters), text = try manifest.text()
        #expect(try manifest.value("books.path") == "/v1/books?kind=novel", "\(text)")
        #expect(text.contains("is left out, because its name is computed (line "))
        #expect(text.contains("A parameter without a name is left out."))
    }

    @Test(
        "a secret in a header or a parameter is the authorisation, with the text before it",
        arguments: [
            (
                "request_headers: {Authorization: \"Token {{ config['api_key'] }}\"}",
                #"header authorization "Token ""#
            ),
            ("request_headers: {Authorization: \"Bearer {{ config['api_key'] }}\"}", "bearer"),
            ("request_headers: {X-Key: \"{{ config['api_key'] }}\"}", "header x-key"),
            ("request_parameters: {app_key: \"{{ config['api_key'] }}\"}", "query app_key"),
            ("authenticator: {type: NoAuth}", "none"),
            (
                "authenticator: {type: NoAuth}\nrequest_parameters: {key: \"{{ config['api_key'] }}\"}",
                "query key"
            ),
        ])
    func secrets(_ requester: String, _ auth: String) throws {
        let manifest = AirbyteManifests(requester: requester), text = try manifest.text()
        let read = try Definition.Authorization(
            described: try #require(try manifest.value("auth"), "\(text)"))
        #expect(try read == Definition.Authorization(described: auth), "\(text)")
        #expect(!text.contains("no authorisation") && !text.contains("auth-second"), "\(text)")
        let none = try AirbyteManifests().text()
        #expect(none.contains("The manifest has no authorisation") && !none.contains("\nauth = "))
    }

    @Test("a secret beside the authenticator's becomes the second one, and none is written twice")
    func secondSecrets() throws {
        let bearer = "authenticator: {type: BearerAuthenticator, api_token: \"{{ config['token'] }}\"}\n"
        let parameter = AirbyteManifests(
            requester: bearer + "request_parameters: {app_key: \"{{ config['key'] }}\"}")
        #expect(try parameter.value("auth-second") == "query app_key")
        let same = AirbyteManifests(
            requester: bearer + "request_headers: {Authorization: \"Bearer {{ config['token'] }}\"}")
        #expect(try same.value("auth") == "bearer")
        #expect(try same.value("auth-second") == nil)
    }

    private func paged(_ method: String, _ place: String, _ sizePlace: String) -> AirbyteManifests {
        AirbyteManifests(
            retriever: """
                paginator:
                  type: DefaultPaginator
                  page_size_option: {type: RequestOption, inject_into: \(sizePlace), field_name: size}
                  page_token_option: {type: RequestOption, inject_into: \(place), field_name: after}
                  pagination_strategy:
                    {type: CursorPagination, page_size: 9, cursor_value: "{{ response.next }}"}
                """, requester: "http_method: \(method)")
    }

    @Test("a parameter of pages may be a member inside another one of the body")
    func innerPlaces() throws {
        let text = paged("POST", "body_json", "body_json").yaml.replacing(
            "field_name: size", with: "field_path: [pages, size]"
        ).replacing("field_name: after", with: "field_path: [pages, after]")
        let draft = try #require(
            try DefinitionDraft.manifest(in: Array(text.utf8), name: "x", source: "m.yaml"))
        #expect(draft.text.contains("\nbooks.path = /v1/books?pages/size=9\n"), "\(draft.text)")
        #expect(draft.text.contains("\nbooks.next = cursor pages/after next\n"))
        _ = try draft.definition()
    }

    @Test(
        "a body of a stated type is sent as this type",
        arguments: [
            ("RequestBodyJsonObject", "{kind: new, shelf: {room: a}}", "json", "?kind=new&shelf/room=a"),
            ("RequestBodyUrlEncodedForm", "{kind: new}", "form", "?kind=new"),
            ("RequestBodyGraphQL", "{query: \"{ leaf }\"}", "json", "?query=%7B%20leaf%20%7D"),
        ])
    func bodies(_ type: String, _ value: String, _ send: String, _ query: String) throws {
        let manifest = AirbyteManifests(
            requester: "http_method: POST\nrequest_body: {type: \(type), value: \(value)}")
        #expect(try manifest.value("books.path") == "/v1/books" + query)
        #expect(try manifest.value("books.send") == send)
    }

    @Test("a body that is a text is refused")
    func plainBody() {
        let manifest = AirbyteManifests(
            requester: "http_method: POST\nrequest_body: {type: RequestBodyPlainText, value: all}")
        #expect(manifest.refusal().contains("sends a RequestBodyPlainText"))
    }

    @Test("the names of properties that rows should have are sent together")
    func properties() throws {
        let list =
            "type: QueryProperties, always_include_properties: [id], property_list: [id, title, at], "
            + "property_chunking: {type: PropertyChunking, property_limit: 2}"
        let manifest = AirbyteManifests(requester: "request_parameters: {fields: {\(list)}, kind: new}")
        #expect(try manifest.value("books.path") == "/v1/books?fields=id%2Ctitle%2Cat&kind=new")
        #expect(try manifest.text().contains("The connector requests the values of fields in several parts"))
        let computed = AirbyteManifests(
            requester: "request_parameters: {fields: {type: QueryProperties, property_list: {type: X}}}")
        #expect(try computed.value("books.path") == "/v1/books")
        #expect(
            try computed.draft().sentences.contains("to correct: books lacks the parameter fields"))
    }

    @Test("pages are followed only if their parameters are where a definition sends them")
    func places() throws {
        #expect(
            try paged("GET", "request_parameter", "request_parameter").value("books.path")
                == "/v1/books?size=9")
        #expect(try paged("POST", "body_json", "body_json").value("books.next") == "cursor after next")
        for (method, place, size, reason) in [
            ("POST", "request_parameter", "body_json", "has the next page in the address of a POST"),
            ("GET", "body_json", "request_parameter", "has the next page in the body of a GET"),
            ("GET", "header", "request_parameter", "has the next page in a header"),
        ] {
            #expect(paged(method, place, size).refusal().contains(reason))
        }
        for (method, place, size) in [
            ("GET", "request_parameter", "header"), ("POST", "body_json", "request_parameter"),
            ("GET", "request_parameter", "body_json"),
        ] {
            let manifest = paged(method, place, size)
            #expect(try manifest.text().contains("The size of pages is left out"))
            #expect(try manifest.value("books.path") == "/v1/books")
        }
    }

    @Test("answers that are not JSON are refused", arguments: ["XmlDecoder", "JsonlDecoder", "CsvDecoder"])
    func decoders(_ decoder: String) throws {
        #expect(try AirbyteManifests(retriever: "decoder: {type: JsonDecoder}").value("books.key") == "id")
        let manifest = AirbyteManifests(retriever: "decoder: {type: \(decoder)}")
        #expect(manifest.refusal().contains("has a \(decoder) (line "))
    }

    @Test("lists that are made from answers are reported")
    func dynamicStreams() throws {
        let dynamic = "dynamic_streams: [{type: DynamicDeclarativeStream, name: shelves}]"
        let draft = try AirbyteManifests(top: dynamic).draft()
        let words = "the lists that the connector makes from answers (dynamic_streams)"
        #expect(draft.text.contains("# Left out: \(words)."), "\(draft.text)")
        #expect(draft.sentences.contains("left out: \(words)"))
        let only = "type: DeclarativeSource\n\(dynamic)\n"
        let error = #expect(throws: PatchbayError.self) {
            try DefinitionDraft.manifest(in: Array(only.utf8), name: "x", source: "m.yaml")
        }
        #expect(error.map { "\($0)" }?.contains("it has no fixed streams") == true)
    }
}
