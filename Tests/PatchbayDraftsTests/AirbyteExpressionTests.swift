import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Expressions in drafts from manifests of Airbyte")
struct AirbyteExpressionTests {
    private static let spec = """
        spec:
          connection_specification:
            required: [account, since, server]
            properties:
              account: {title: "Number of the account", examples: ["42"]}
              server: {title: "Address of the server"}
              since: {type: string}
              color: {type: string}
        """

    @Test(
        "a server that the user chooses does not exist in the draft, and the summary names the setting",
        arguments: [
            ("{{ config['server'] }}/v1", "https://invalid", "/v1/books"),
            ("{{ config['server'] }}", "https://invalid", "/books"),
            ("https://{{ config['server'] }}/v1", "https://invalid", "/v1/books"),
            ("https://api.{{ config['server'] }}/v1", "https://api.invalid", "/v1/books"),
            ("https://api.{{ config['server'] }}.com/v1", "https://api.com.invalid", "/v1/books"),
        ])
    func servers(_ base: String, _ written: String, _ path: String) throws {
        let manifest = AirbyteManifests(top: Self.spec, base: base), draft = try manifest.draft()
        #expect(try manifest.value("base-url") == written, "\(draft.text)")
        #expect(try manifest.value("books.path") == path)
        #expect(try manifest.value("setting.server") == nil)
        #expect(
            try manifest.text().contains(
                "# The server is the connector's setting server (Address of the server). Replace this one"))
        #expect(
            draft.sentences.contains(
                "to correct: base-url, because the server is the connector's setting server"))
    }

    @Test("a setting that is one word of a server's name stays, and so does a default")
    func serverWords() throws {
        let word = AirbyteManifests(base: "https://{{ config['site'] }}.example.org/v1")
        #expect(try word.value("base-url") == "https://{site}.example.org")
        #expect(try word.correction() == nil)
        let other = AirbyteManifests(base: "https://{{ config.get('site', 'eu.example.org') }}/v1")
        #expect(try other.value("base-url") == "https://eu.example.org")
        let computed = AirbyteManifests(base: "{{ config['url'].rstrip('/') }}/v1")
        #expect(try computed.value("base-url") == "https://invalid")
        #expect(try computed.value("books.path") == "/v1/books")
    }

    @Test(
        "headers and parameters may have texts around settings, with the words of the connector about these")
    func texts() throws {
        let manifest = AirbyteManifests(
            top: Self.spec,
            requester: """
                request_headers: {X-Account: "id={{ config['account'] }}", Color: "{{ config['color'] }}"}
                request_parameters:
                  of: "account:{{ config['account'] }}"
                  joined: "{{ 'a ' ~ config['account'] + 'b' }}"
                  from: "{{ config['since'] }}"
                  color: "{{ config['color'] }}"
                  secret: "Token {{ config['token'] }}"
                  selector: '{"a": "b c"}'
                """)
        let text = try manifest.text()
        #expect(try manifest.value("header.x-account") == "id={account}", "\(text)")
        #expect(
            try manifest.value("books.path")
                == "/v1/books?of=account%3A{account}&joined=a%20{account}b&from={since-value}"
                + "&selector=%7B%22a%22%3A%20%22b%20c%22%7D")
        #expect(try manifest.value("setting.account") == "Number of the account, such as 42")
        #expect(
            text.contains("The header Color is left out, because the connector's setting color is optional"))
        #expect(text.contains("The parameter color is left out, because the connector's setting color is"))
        #expect(text.contains("The parameter secret with a setting is left out"))
        #expect(try manifest.value("header.color") == nil && manifest.value("auth") == nil)
    }

    private static let cursor = """
        incremental_sync:
          type: DatetimeBasedCursor
          cursor_field: at
          datetime_format: "%s"
          start_datetime: '2020-02-01'
          step: P30D
        """

    @Test("times in texts, in paths and in forms of their own are sent")
    func times() throws {
        let text = AirbyteManifests(
            stream: Self.cursor,
            requester: """
                request_parameters:
                  "at[between]": "'[{{ stream_slice['start_time'] }}, {{ stream_slice['end_time'] }}]'"
                """)
        #expect(
            try text.value("books.path") == "/v1/books?at[between]=[{since:seconds}%2C%20{until:seconds}]",
            "\(text)")
        #expect(try text.value("books.since") == "at" && text.value("books.window") == "30d")
        let own = AirbyteManifests(
            stream: Self.cursor,
            requester: """
                request_parameters:
                  from: "{{ stream_interval.start_time.strftime('%Y-%m-%d') }}"
                  to: "{{ format_datetime(stream_interval.end_time, '%Y%m%d') }}"
                """)
        #expect(try own.value("books.path") == "/v1/books?from={since:date}&to={until:yyyyMMdd}")
        let path = AirbyteManifests(stream: Self.cursor, path: "/books/{{ stream_slice.start_time }}")
        #expect(try path.value("books.path") == "/v1/books/{since:seconds}")
        let safe = AirbyteManifests(
            path: "/{{ sanitize_url(config.get('shelf')) }}/{{ sanitize_url(config['room']) }}")
        #expect(try safe.value("books.path") == "/v1/{shelf}/{room}")
        let none = AirbyteManifests(path: "/books/{{ stream_slice.start_time }}")
        #expect(none.refusal().contains("computes \"/books/{{ stream_slice.start_time }}\""))
    }

    private static let option = "{type: RequestOption, inject_into: request_parameter, field_name: after}"

    private func paged(_ cursor: String, stop: String = "", option: Bool = true) -> AirbyteManifests {
        AirbyteManifests(
            retriever: """
                paginator:
                  type: DefaultPaginator
                  page_token_option: \(option ? Self.option : "{type: RequestPath}")
                  pagination_strategy:
                    type: CursorPagination
                    cursor_value: "\(cursor)"
                    stop_condition: "\(stop)"
                """)
    }

    @Test(
        "a cursor is followed from where the connector reads it",
        arguments: [
            ("{{ headers['X-Next-Cursor'] }}", "header after x-next-cursor"),
            ("{{ headers.get('x-next') }}", "header after x-next"),
            ("{{ headers['link'].get('next', {}).get('cursor', {}) }}", "link"),
            ("{{ response.get('next')|tojson() }}", "cursor after next"),
            ("{{ response.meta.next | int }}", "cursor after meta/next"),
            ("{{ response['next'] if response['data'] }}", "cursor after next"),
            ("{{ last_record['id'] if last_record else None }}", "last after id"),
            ("{{ last_record['nextPage'] }}", "cursor after nextPage"),
            ("{{ response.meta.next | default(None) }}", "cursor after meta/next"),
            ("{{ response.get('next') | default('') }}", "cursor after next"),
            // A part of an address, which is followed as it is.
            ("{{ headers.get('Link', {}).split(';')[0][1:-1] }}", "link"),
            ("{{ response.next | regex_search('page=([0-9]+)') }}", "url next"),
            ("{{ response.get('next', '').split('after=')[-1] if response.next else '' }}", "url next"),
            ("{{ response.get('@leaf.next') | regex_search('token=([^&]+)') }}", "url %40leaf.next"),
            (
                "{{ response.get('links', []) | selectattr('rel', 'equalto', 'next') "
                    + "| map(attribute='href') | first }}",
                "url links[rel=next]/href"
            ),
            ("{{ response.page.number | int + 1 }}", "page after 0"),
        ])
    func cursors(_ cursor: String, _ next: String) throws {
        #expect(try paged(cursor).value("books.next") == next)
    }

    @Test("a next address in the last row, which no schema declares, is looked for in the answer")
    func nextInRow() throws {
        let manifest = paged("{{ last_record['next_page'] }}", option: false)
        #expect(try manifest.value("books.next") == "url next_page")
        #expect(try manifest.text().contains("no declared next_page; the answer's member is a guess (line "))
        #expect(paged("{{ response.page * 2 }}").refusal().contains("computes its next page"))
        #expect(paged("{{ response.next.split(',')[0] }}").refusal().contains("computes its next page"))
    }

    @Test("a list that requests the number after that of this page counts from 0, and the summary says so")
    func nextNumbers() throws {
        let draft = try paged("{{ response['page'] + 1 }}").draft()
        #expect(draft.text.contains("\nbooks.next = page after 0\n"))
        #expect(
            draft.sentences.contains {
                $0.hasPrefix("to correct: the first number in NAME.next of books")
            })
    }

    @Test(
        "the condition that ends a list is that of the connector",
        arguments: [
            ("not response.has_more", "not has_more"), ("response['has_more'] == false", "not has_more"),
            ("not response.get('meta', {}).get('more')", "not meta/more"),
            ("response.data.done is true", "data/done"), ("response.end", "end"),
            ("response['more'] is false", "not more"), ("not response.get('data')", "empty"),
            ("response.data | length == 0", "empty"), ("last_page_size == 0", "empty"),
            ("not response.next", nil), ("response.page >= response.pages", nil),
            ("'next' not in response", nil), ("response.next == ''", nil), ("last_record", nil),
        ] as [(String, String?)])
    func ends(_ condition: String, _ end: String?) throws {
        #expect(
            try paged("{{ response.next }}", stop: "{{ \(condition) }}").value("books.end") == end)
    }

    @Test("a condition on a cursor ends a list as well")
    func conditionalCursors() throws {
        #expect(try paged("{{ response.next if response.data }}").value("books.end") == "empty")
        #expect(try paged("{{ response.next if response.more else None }}").value("books.end") == "not more")
        #expect(try paged("{{ response.next if not response.done }}").value("books.end") == "done")
    }

    @Test("a member of the last row that no schema declares becomes a field")
    func lastFields() throws {
        var manifest = paged("{{ last_record['scrollId'] }}")
        manifest.selector = "record_selector: {extractor: {type: DpathExtractor, field_path: []}}"
        #expect(try manifest.value("books.next") == "last after scroll-id")
        #expect(try manifest.value("books.field.scroll-id") == "text scrollId")
        #expect(
            try manifest.text().contains("No schema declares scroll-id, the place in the list; its type is a")
        )
        let inner = paged("{{ last_record['at']['id'] }}")
        #expect(try inner.value("books.next") == "last after at-id")
        #expect(try inner.value("books.field.at-id") == "text at/id")
    }

    @Test("pages of no known kind are refused")
    func untypedPages() {
        let manifest = AirbyteManifests(retriever: "paginator: {pagination_strategy: {page_size: 200}}")
        #expect(manifest.refusal().contains("books has a pagination_strategy without a type"))
    }

    @Test("a parameter that is the place of the next page is sent with the next one")
    func tokens() throws {
        let manifest = AirbyteManifests(
            retriever: """
                paginator:
                  type: DefaultPaginator
                  pagination_strategy: {type: OffsetIncrement, page_size: 50}
                """,
            requester: "request_parameters: {skip: \"{{ next_page_token['next_page_token'] or 0 }}\"}")
        #expect(try manifest.value("books.next") == "offset skip")
        #expect(try manifest.value("books.path") == "/v1/books")
    }

    @Test("a body of a GET is left out with a note, and so is an encoded password before its parts")
    func bodies() throws {
        let manifest = AirbyteManifests(requester: "request_body_json: {Accept: application/json}")
        #expect(try manifest.value("books.path") == "/v1/books")
        #expect(
            try manifest.text().contains(
                "# The body of a GET is left out, because a definition cannot send it"))
        #expect(try manifest.draft().sentences.contains("to correct: books lacks the body of a GET"))
        let basic = AirbyteManifests(
            requester: "request_headers: {Authorization: \"Basic {{ (config['key'] ~ ':') | b64encode }}\"}")
        #expect(try basic.value("auth") == "basic")
    }

    @Test("characters that an address cannot have are encoded in paths")
    func paths() throws {
        #expect(
            try AirbyteManifests(path: "/All Books?kind=a b&x[y]=1").value("books.path")
                == "/v1/All%20Books?kind=a%20b&x[y]=1")
    }
}
