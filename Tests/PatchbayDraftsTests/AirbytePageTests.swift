import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Pages, credentials and addresses in drafts from manifests of Airbyte")
struct AirbytePageTests {
    private func paged(_ strategy: String, in parameter: String) -> AirbyteManifests {
        AirbyteManifests(
            retriever: """
                paginator:
                  type: DefaultPaginator
                  page_token_option: {type: RequestOption, inject_into: request_parameter, field_name: \(parameter)}
                  pagination_strategy: {\(strategy)}
                """)
    }

    @Test("an offset that is sent as the number of a page becomes that number, and the summary says so")
    func offsets() throws {
        let pages = paged("type: OffsetIncrement, page_size: 50", in: "page")
        #expect(try pages.value("books.next") == "page page")
        #expect(
            try pages.correction()
                == "NAME.next of books, because the connector sends the number of rows as page")
        let rows = paged("type: OffsetIncrement, page_size: 50", in: "skip")
        #expect(try rows.value("books.next") == "offset skip")
        #expect(try rows.correction() == nil)
    }

    @Test("a member of the last row is sent even if no schema declares it, and the summary says so")
    func undeclaredLast() throws {
        let manifest = paged(
            "type: CursorPagination, cursor_value: \"{{ last_record['leaf'] }}\"", in: "after")
        #expect(try manifest.value("books.next") == "last after leaf")
        #expect(try manifest.value("books.field.leaf") == "text")
        #expect(
            try manifest.correction()
                == "NAME.next of books, because no schema declares leaf in the rows")
    }

    private func authorised(_ token: String, _ place: String) -> AirbyteManifests {
        AirbyteManifests(
            requester: "authenticator: {type: ApiKeyAuthenticator, api_token: \"\(token)\", inject_into: "
                + "{type: RequestOption, field_name: Leaf, inject_into: \(place)}}")
    }

    @Test("a token in the body is left out", arguments: ["body_data", "body_json"])
    func bodies(_ place: String) throws {
        let manifest = authorised("{{ config['key'] }}", place)
        #expect(try manifest.value("auth") == nil)
        #expect(
            try manifest.draft().sentences.last
                == "left out: the token, which the connector sends in the body of requests")
    }

    @Test("a header with several values is to be corrected")
    func severalValues() throws {
        let manifest = authorised("User={{ config['user'] }}, Key={{ config['key'] }}", "header")
        #expect(try manifest.value("auth") == "header Leaf \"User=\"")
        #expect(
            try manifest.correction()
                == "source.token, which must have all values that the connector sends in the header Leaf"
        )
        #expect(try authorised("Leaf {{ config['key'] }}", "header").correction() == nil)
    }

    @Test(
        "a token that the connector makes is that of the source",
        arguments: [
            ("SessionTokenAuthenticator, request_authentication: {type: Bearer}", "bearer", "a session"),
            (
                "SessionTokenAuthenticator, request_authentication: {type: ApiKey, inject_into: "
                    + "{type: RequestOption, inject_into: header, field_name: Leaf}}", "header Leaf",
                "a session"
            ),
            (
                "SessionTokenAuthenticator, request_authentication: {type: ApiKey, inject_into: "
                    + "{type: RequestOption, inject_into: request_parameter, field_name: leaf}}",
                "query leaf",
                "a session"
            ),
            ("JwtAuthenticator, header_prefix: Bearer", "bearer", "a signed token"),
            ("JwtAuthenticator, header_prefix: JWT", "header Authorization JWT", "a signed token"),
            ("JwtAuthenticator", "header Authorization", "a signed token"),
        ])
    func madeTokens(_ authenticator: String, _ way: String, _ words: String) throws {
        let manifest = AirbyteManifests(requester: "authenticator: {type: \(authenticator)}")
        #expect(try manifest.value("auth") == way)
        #expect(try manifest.text().contains("Set source.token to"))
        #expect(try manifest.text().contains(words))
        _ = try manifest.draft().definition()
    }

    @Test("a session whose token is in the body is left out")
    func sessionsInBodies() throws {
        let manifest = AirbyteManifests(
            requester:
                "authenticator: {type: SessionTokenAuthenticator, request_authentication: {type: ApiKey, "
                + "inject_into: {type: RequestOption, inject_into: body_json, field_name: leaf}}}")
        #expect(try manifest.value("auth") == nil)
        #expect(
            try manifest.draft().sentences.last == "left out: the authorisation by SessionTokenAuthenticator")
    }

    @Test("a double slash in the server's address is one")
    func slashes() throws {
        let manifest = AirbyteManifests(base: "https://api.books.example.org//v1")
        #expect(try manifest.value("books.path") == "/v1/books")
    }

    @Test("an argument whose name is almost that of a setting gets another one")
    func almostSettings() throws {
        let manifest = AirbyteManifests(
            retriever:
                "partition_router: {type: ListPartitionRouter, cursor_field: shelf_id, values: [a, b], "
                + "request_option: {type: RequestOption, inject_into: request_parameter, field_name: shelf}}",
            path: "/{{ config['shelf_ids'] }}/books")
        #expect(try manifest.value("books.path") == "/v1/{shelf-ids}/books?shelf={shelf-id-value}")
        #expect(try manifest.value("books.each") == "shelf-id-value a b")
    }
}
