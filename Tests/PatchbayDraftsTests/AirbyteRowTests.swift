import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

@Suite("Rows and times in drafts from manifests of Airbyte")
struct AirbyteRowTests {
    private func cursor(_ more: String = "") -> String {
        """
        incremental_sync:
          type: DatetimeBasedCursor
          cursor_field: at
          datetime_format: "%Y-%m-%d"
          start_time_option: {inject_into: request_parameter, field_name: from}
          \(more.replacing("\n", with: "\n  "))
        """
    }

    private static let until = "end_time_option: {inject_into: request_parameter, field_name: to}\n"

    @Test(
        "a time that the connector requests again overlaps",
        arguments: [
            ("P30D", "30d"), ("P1W", "7d"), ("PT36H", "36h"), ("P1DT1S", "86401s"), ("P0D", nil),
            ("PT1S", nil),
            ("{{ config.get('x', 'P7D') }}", "7d"), ("P{{ config.get('days', 7) }}D", "7d"),
            ("P{{ config['days'] or 5 }}D", "5d"), ("", nil), ("PT0.1S", nil), ("P180DT1S", "181d"),
        ] as [(String, String?)])
    func overlaps(_ written: String, _ overlap: String?) throws {
        let manifest = AirbyteManifests(stream: cursor("lookback_window: \"\(written)\"")),
            text = try manifest.text()
        #expect(try manifest.value("books.since") == "from at date")
        #expect(try manifest.value("books.since-overlap") == overlap, "\(text)")
        #expect(!text.contains("add since-overlap"))
    }

    @Test("an overlap that is computed is reported")
    func computedOverlap() throws {
        for written in ["P{{ config['days'] }}D", "{{ now_utc() }}", "a week"] {
            let text = try AirbyteManifests(stream: cursor("lookback_window: \"\(written)\"")).text()
            #expect(text.contains("requested again is computed; add since-overlap (line "), "\(text)")
        }
    }

    @Test("the length of intervals may be a setting with a default")
    func windows() throws {
        for (step, window) in [
            ("P{{ config.get('time_window', 7) }}D", "7d"), ("P180DT1S", "180d"), ("P1M", "30d"),
            // Two dates differ by a day at least.
            ("PT6H", "1d"),
        ] {
            let manifest = AirbyteManifests(stream: cursor(Self.until + "step: \"\(step)\""))
            #expect(try manifest.value("books.path") == "/v1/books?from={since:date}&to={until:date}")
            #expect(try manifest.value("books.window") == window)
        }
        let computed = try AirbyteManifests(stream: cursor(Self.until + "step: \"P{{ config['w'] }}D\""))
            .text()
        #expect(
            computed.contains("the length of intervals is computed; add {until} and a window"), "\(computed)")
        #expect(!computed.contains("which is now"))
        #expect(
            try AirbyteManifests(stream: cursor(Self.until)).text().contains("the interval, which is now,"))
    }

    @Test("a list without a key is requested whole, from the beginning that is stated or guessed")
    func keylessBeginning() throws {
        let properties = "at: {type: string}"
        let unknown = AirbyteManifests(stream: cursor(), key: "", properties: properties)
        #expect(try unknown.value("books.path") == "/v1/books?from=2000-01-01")
        #expect(try unknown.text().contains("for which 2000-01-01 is a guess"))
        let known = AirbyteManifests(
            stream: cursor("start_datetime: '2020-02-01'"), key: "", properties: properties)
        #expect(try known.value("books.path") == "/v1/books?from=2020-02-01")
        #expect(try !known.text().contains("is a guess"))
        #expect(try known.value("books.key") == "place")
    }

    @Test("a list whose time is its key is requested whole, from the beginning")
    func timesAsKeys() throws {
        let manifest = AirbyteManifests(
            stream: cursor("start_datetime: '2020-02-01'"), key: "primary_key: at",
            properties: "at: {type: integer}")
        #expect(try manifest.value("books.key") == "at" && manifest.value("books.since") == nil)
        #expect(try manifest.value("books.path") == "/v1/books?from=2020-02-01")
        #expect(
            try manifest.text().contains(
                "Later syncs fetch the whole list, because at is a part of the key, which is not a time."))
    }

    @Test("a first sync sends a beginning, because without one an API may return the newest rows only")
    func beginnings() throws {
        let manifest = AirbyteManifests(
            stream: cursor("start_datetime: \"{{ config['start'] or day_delta(-30) }}\""))
        #expect(try manifest.value("books.since") == "from at date")
        #expect(try manifest.value("books.since-start") == "2000-01-01")
        let correction = try manifest.correction() ?? ""
        #expect(correction.contains("since-start or the first time in books"), "\(correction)")
        let stated = AirbyteManifests(stream: cursor("start_datetime: '2020-02-01'"))
        #expect(try stated.value("books.since-start") == "2020-02-01")
        #expect(try stated.correction() == nil)
    }

    @Test("a declared id is the key of a stream without one, after what distinguishes two lists")
    func guessedKeys() throws {
        let alone = AirbyteManifests(key: "")
        #expect(try alone.value("books.key") == "id")
        #expect(try alone.text().contains("# The stream has no primary key, for which id is a guess."))
        #expect(try alone.draft().sentences.contains("keys that are guesses: books"))
        let router = """
            partition_router: {type: ListPartitionRouter, values: [new, old], cursor_field: state, request_option:
              {type: RequestOption, inject_into: request_parameter, field_name: state}}
            """
        #expect(try AirbyteManifests(key: "", retriever: router).value("books.key") == "state id")
        let computed = "transformations: [{type: AddFields, fields: [{path: [id], value: 'x'}]}]"
        #expect(try AirbyteManifests(stream: computed, key: "").value("books.key") == "place")
        #expect(try AirbyteManifests(key: "", properties: "id: {type: object}").value("books.key") == "place")
    }

    @Test(
        "a filter by a member becomes a condition",
        arguments: [
            ("record.kind == 'a'", "kind = a"), ("record['kind'] != 'a b'", "kind != a b"),
            ("not record.hidden", "not hidden"), ("record['a']['b']", "a/b"),
            ("record.get('kind') == 'x'", "kind = x"), ("record.a > 1", nil), ("record.a == 1", nil),
            ("record.a and record.b", nil), ("not record.a == 'x'", nil),
        ] as [(String, String?)])
    func conditions(_ expression: String, _ condition: String?) throws {
        let manifest = AirbyteManifests(
            selector: """
                record_selector:
                  extractor: {type: DpathExtractor, field_path: [data]}
                  record_filter: {type: RecordFilter, condition: "{{ \(expression) }}"}
                """)
        #expect(try manifest.value("books.where") == condition)
        #expect(try manifest.text().contains("Rows are not filtered") == (condition == nil))
    }

    @Test(
        "a transformation that moves or renames members is reported",
        arguments: [
            "{type: KeysToSnakeCase}", "{type: DpathFlattenFields, field_path: [attributes]}",
            "{type: FlattenFields}", "{type: CustomTransformation, class_name: source_books.Changes}",
        ])
    func changes(_ change: String) throws {
        let draft = try AirbyteManifests(stream: "transformations: [\(change)]").draft()
        let name =
            change.contains("class_name") ? "source_books.Changes" : change.split { ":, }".contains($0) }[1]
        #expect(draft.text.contains("# The connector changes rows by \(name); correct the"), "\(draft.text)")
        #expect(
            draft.sentences.contains("to correct: paths in books, because the connector changes these rows"))
        let removed = try AirbyteManifests(stream: "transformations: [{type: RemoveFields}]").draft()
        #expect(
            !removed.text.contains("changes rows") && !removed.sentences.contains { $0.hasPrefix("to cor") })
    }

    @Test("a member that the connector copies from another place is read there")
    func copies() throws {
        let fields = [
            "{path: [id], value: \"{{ record.ids.main }}\"}",
            "{path: [at], value: \"{{ record['times']['at'] }}\"}",
            "{path: [title], value: \"{{ record['id'] }}\"}",
            "{path: [kind], value: \"{{ record['a'] | lower }}\"}",
        ]
        let manifest = AirbyteManifests(
            stream: cursor()
                + "\ntransformations: [{type: AddFields, fields: [\(fields.joined(separator: ", "))]}]")
        #expect(try manifest.value("books.field.id") == "integer ids/main")
        #expect(try manifest.value("books.field.at") == "time times/at")
        #expect(try manifest.value("books.field.title") == "text? ids/main")
        #expect(try manifest.value("books.key") == "id")
    }

    @Test("members that do not fit are listed, and scalars are declared first")
    func room() throws {
        let objects = (0..<10).map { "o\($0): {type: object}" },
            texts = (0..<35).map { "t\($0): {type: string}" }
        let text = try AirbyteManifests(
            properties: (["id: {type: integer}"] + objects + texts).joined(separator: ", ")
        ).text()
        #expect(
            text.contains("books.field.t34 = text?\n") && text.contains("books.field.o2 = json"), "\(text)")
        #expect(
            text.contains("Left out, because a resource has at most 39 fields: o3, o4, o5, o6, o7, o8, o9."))
    }

    @Test("rows in a member of other rows are read there, without the members that the connector adds")
    func expandedRows() throws {
        let expander =
            "record_expander: {type: RecordExpander, expand_records_from_field: [leaves, data], "
            + "remain_original_record: true, parent_fields_to_copy: [{target_field: book}]}"
        let manifest = AirbyteManifests(
            selector:
                "record_selector: {extractor: {type: DpathExtractor, field_path: [data], \(expander)}}",
            properties: "id: {type: integer}, book: {type: integer}, original_record: {type: object}")
        #expect(try manifest.value("books.rows") == "data/*/leaves/data")
        #expect(try manifest.value("books.field.id") == "integer")
        #expect(try manifest.value("books.field.book") == nil)
        #expect(try manifest.value("books.field.original-record") == nil)
    }

    @Test("rows at any depth are refused")
    func deepRows() {
        let manifest = AirbyteManifests(
            selector: "record_selector: {extractor: {type: DpathExtractor, field_path: [\"**\", data]}}")
        #expect(manifest.refusal().contains("computes the place of its rows"))
    }
}
