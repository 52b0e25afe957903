import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("errors, ends and places in definitions")
struct GrammarTests {
    private static let rows = """
        api = x
        rows.path = /rows
        rows.key = id
        rows.field.id = integer

        """

    private func error(_ lines: String, _ status: Int, _ body: String) async throws -> PatchbayError? {
        let bench = try Bench(Self.rows + lines, ScriptedNetworking(status, [], body))
        return await fault { try await bench.items() }
    }

    @Test(
        "a page after the last value of a field may lose rows unless that is in the key or on the page",
        arguments: [("id", nil), ("at", "rows.next"), ("at included", nil), ("sort", nil)])
    func lastOfEqual(_ field: String, _ doubt: String?) throws {
        let lines =
            "rows.field.at = text\nrows.field.sort = json\nrows.send = json\nrows.next = last a \(field)\n"
        let (definition, faults) = Definition.reading(path: "x.conf", bytes: Array((Self.rows + lines).utf8))
        #expect(faults.isEmpty && definition?.doubts.map(\.key) == (doubt.map { [$0] } ?? []))
    }

    @Test(
        "the definition gives a meaning to an error's text or status",
        arguments: [
            ("error.text = code\nerror.not-found = no_such", 400, #"{"code": "no_such"}"#, .notFound),
            (
                "error.text = e/0/code\nerror.unauthorized = auth", 400, #"{"e": [{"code": "auth"}]}"#,
                .unauthorized
            ),
            ("error.text = code\nerror.not-found = 101", 400, #"{"code": 101}"#, .notFound),
            ("error.permission-denied = 404", 404, "", .permissionDenied),
            ("error.offline = 409", 409, "", .offline),
            ("error.invalid-value = 404 405", 405, "", .invalidValue),
            ("error.rate-limited = 420", 420, "", .rateLimited),
            ("error.removed = 404", 404, "", .permissionDenied),
            ("error = error\nerror.text = error", 200, #"{"error": "broken"}"#, .invalidResponse),
            ("error = not ok\nerror.text = e\nerror.offline = later", 200, #"{"e": "later"}"#, .offline),
        ] as [(String, Int, String, PatchbayError.Code)])
    func meanings(_ lines: String, _ status: Int, _ body: String, _ code: PatchbayError.Code) async throws {
        #expect(try await error(lines, status, body)?.code == code)
    }

    @Test(
        "an error states the wait that its body asks for",
        arguments: [
            (#"{"backoff": 90}"#, 429, "90 seconds"), (#"{"backoff": "12.5"}"#, 400, "13 seconds"),
            (#"{"backoff": 1790846390}"#, 503, "2026-10-01T09:19:50Z"),
            (#"{"backoff": null}"#, 429, "a minute"),
        ])
    func waits(_ body: String, _ status: Int, _ words: String) async throws {
        let error = try await error("error.wait = backoff", status, body)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(error?.code == .rateLimited)
    }

    @Test(
        "an answer refuses because of a limit if the definition says so of its text, with any status",
        arguments: [
            (#"{"ok": false, "e": "ratelimited"}"#, 200, true),
            (#"{"ok": false, "e": "broken"}"#, 200, false),
            (#"{"ok": true, "e": "ratelimited"}"#, 200, false), (#"{"e": "OVER_QUERY_LIMIT"}"#, 400, true),
            ("", 420, true), ("", 400, false),
        ])
    func refusals(_ body: String, _ status: Int, _ isRefusal: Bool) throws {
        let lines = "error = not ok\nerror.text = e\nerror.rate-limited = ratelimited OVER_QUERY_LIMIT 420\n"
        let read = Definition.reading(path: "x.conf", bytes: Array((Self.rows + lines).utf8)).definition
        let api = SourceAPI.rest(try #require(read))
        let limit = try #require(api.bodyLimit?(Response(status, [], body)))
        #expect(limit.isRefusal == isRefusal && limit.wait == nil)
    }

    @Test(
        "since has no effect on lists whose rows are identified by their places",
        arguments: [
            ("rows.since = from at", "; identify rows by their members, or remove this line"),
            ("rows.since = from at\nrows.since-start = 2026-01-01", "; identify rows by their members"),
        ])
    func placesSince(_ lines: String, _ end: String) throws {
        func doubts(_ key: String) throws -> [(key: String, doubt: String)] {
            let text = """
                api = x
                rows.path = /rows
                rows.key = \(key)
                rows.field.id = integer
                rows.field.place = integer @place
                rows.field.at = time
                \(lines)

                """
            let (read, faults) = Definition.reading(path: "x.conf", bytes: Array(text.utf8))
            #expect(faults.isEmpty)
            return try #require(read).doubts
        }
        #expect(try doubts("id").isEmpty)
        let found = try doubts("place")
        #expect(found.map(\.key) == ["rows.since"] && found[0].doubt.hasSuffix(end))
    }

    @Test(
        "a misuse of these lines is a fault that says what to write",
        arguments: [
            ("rows.each = site a", "rows.path has no argument {site}; add it there, or remove this line"),
            ("rows.each = site", "names an argument and its values: each = site stackoverflow superuser"),
            ("rows.each = site a a", "\"a\" is named twice; remove one"),
            ("tags.from = rows.tags", "is not a field of another resource; write {RESOURCE.FIELD}"),
            ("tags.from = {row.tags}", "there is no resource \"row\" (did you mean \"rows\"?)"),
            ("tags.from = {rows.id}", "the field id is integer; it must be json"),
            (
                "tags.from = {rows.all}\ntags.next = page p",
                "is about requests, but tags.from needs none; remove one"
            ),
            (
                "tags.from = {rows.all}\ntags.path = /tags",
                "is about requests, but tags.from needs none; remove one"
            ),
            ("auth-second = bearer", "is the second secret; describe the first one with auth"),
            (
                "auth = bearer\nauth-second = header authorization",
                "is sent in the same place as the first secret; name another header or parameter"
            ),
            ("error.wait = a//b*", "is not a path"),
        ])
    func misuses(_ line: String, _ words: String) {
        let text =
            Self.rows + "rows.field.all = json\n" + line
            + (line.hasPrefix("tags") ? "\ntags.key = id\ntags.field.id = integer" : "")
        let faults = Definition.reading(path: "x.conf", bytes: Array(text.utf8)).faults
        #expect(faults.contains { $0.message.contains(words) && $0.line != nil }, "\(faults.map(\.message))")
    }

    @Test("an error for an expired cursor restarts the list, and one for a removed row says so")
    func causes() async throws {
        let restart = try await error("error.text = e\nerror.restart = void", 400, #"{"e": "void"}"#)
        #expect(restart?.isAboutVoidCursor == true)
        let removed = try await error("error.removed = 404", 404, "")
        #expect((removed?.cause as? Refusal)?.kind == .removed)
    }

    @Test(
        "a mark that is false, null, zero or empty is not an error",
        arguments: ["null", "false", "0", "\"\"", "[]", "{}"])
    func marks(_ value: String) async throws {
        let body = #"{"error": \#(value), "id": 1}"#
        let bench = try Bench(Self.rows + "error = error", ScriptedNetworking(200, [], body))
        #expect(try await bench.items().count == 1)
    }

    @Test(
        "where a value must be, zero is an error and an empty array is none",
        arguments: [("0", .invalidResponse), ("[]", nil)] as [(String, PatchbayError.Code?)])
    func absent(_ value: String, _ code: PatchbayError.Code?) async throws {
        #expect(try await error("error = not ok", 200, #"{"ok": \#(value), "id": 1}"#)?.code == code)
    }

    @Test(
        "a first page is an empty list with a status and its text, or without rows",
        arguments: [
            ("rows.end = 409", 409, "", false),
            ("rows.end = 409 is empty", 409, #"{"m": "It is EMPTY."}"#, true),
            ("rows.end = 409 is empty", 409, #"{"m": "locked"}"#, false), ("rows.end = 404", 409, "", false),
            ("", 204, "", true), ("", 200, "", false), ("rows.rows = data", 200, #"{"data": null}"#, true),
            ("rows.rows = data", 200, #"{"other": []}"#, false),
        ])
    func ends(_ lines: String, _ status: Int, _ body: String, _ isEnd: Bool) async throws {
        let error = try await error("error.text = m\n" + lines, status, body)
        #expect((error == nil) == isEnd)
    }

    @Test("a path accepts several arguments and several fields of a parent, each encoded for its place")
    func parameters() async throws {
        let text = """
            api = x
            repos.path = /{owner}/{kind}/repos?owner={owner}
            repos.key = id
            repos.field.id = integer
            repos.field.owner = text owner/login
            repos.field.name = text
            files.path = /repos/{repos.owner}/{repos.name}/files?id={repos.id}
            files.key = repo path
            files.field.repo = integer {repos.id}
            files.field.name = text {repos.name}
            files.field.path = text .
            """
        let networking = ScriptedNetworking { request, _, _ in
            request.path?.contains("/files") == true
                ? Response(200, [], #"["a", "b"]"#)
                : Response(200, [], #"[{"id": 7, "name": "swift nio/x", "owner": {"login": "ap&ple"}}]"#)
        }
        let bench = try Bench(text, networking)
        let repos = try await bench.pages(ListQuestion(bench.resource("repos"), arguments: ["a b", "all"]))
        let files = try await bench.items("files", parent: repos[0].items[0])
        #expect(
            networking.paths == [
                "/a%20b/all/repos?owner=a%20b", "/repos/ap%26ple/swift%20nio%2Fx/files?id=7",
            ])
        #expect(files.map(\.key) == [[.integer(7), .text("a")], [.integer(7), .text("b")]])
        #expect(files.map { $0.text("name") } == ["swift nio/x", "swift nio/x"])
        let error = await fault {
            try await bench.pages(ListQuestion(bench.resource("repos"), arguments: ["a"]))
        }
        #expect(error?.message == "the list of repos needs a kind")
    }

    @Test("a row's own answer keeps fields that only its list has, and needs every part of the key")
    func outside() async throws {
        let text = """
            api = x
            owners.path = /owners
            owners.key = id
            owners.field.id = integer
            pets.path = /owners/{owners.id}/pets
            pets.key = id
            pets.show = /pets/{key}
            pets.field.id = integer
            pets.field.owner = integer {owners.id}
            pets.field.place = integer @place
            toys.path = /owners/{owners.id}/toys
            toys.key = owner name
            toys.handle = name
            toys.show = /toys/{handle}
            toys.field.owner = integer {owners.id}
            toys.field.name = text
            """
        let bench = try Bench(text, ScriptedNetworking(200, [], #"{"id": 3, "name": "ball"}"#))
        let feed = try #require(bench.source.feed), pets = try bench.resource("pets")
        guard case .changed(let pet, _) = try await feed.item("3", of: pets, ifChangedFrom: Validator())
        else {
            return #expect(Bool(false), "unchanged")
        }
        let known = pets.fields.filter { pet.known.contains(position: $0.place) }.map(\.name)
        #expect(known == ["id"])
        let toys = try bench.resource("toys")
        let error = await fault { _ = try await feed.item("ball", of: toys, ifChangedFrom: Validator()) }
        #expect(error?.field == "owner")
    }

    @Test("a single row that is null does not exist")
    func missing() async throws {
        let bench = try Bench(
            Self.rows + "rows.show = /rows/{key}\nrows.show-row = row",
            ScriptedNetworking(200, [], #"{"row": null}"#))
        let feed = try #require(bench.source.feed), resource = try bench.resource()
        let error = await fault { _ = try await feed.item("3", of: resource, ifChangedFrom: Validator()) }
        #expect(error?.code == .notFound)
    }

    @Test("the answer to the check reports the limit in its header")
    func limits() async throws {
        let fields = [
            ("Date", "Thu, 01 Jan 2026 00:00:00 GMT"), ("X-RateLimit-Limit", "100"),
            ("X-RateLimit-Remaining", "7"), ("X-RateLimit-Reset", "60"),
        ]
        let bench = try Bench(Self.rows + "check = /me", ScriptedNetworking(200, fields, "{}"))
        let status = try #require(bench.source.status)
        let limit = SourceLimit(
            resource: "core", limit: 100, remaining: 7, resetsAt: Timestamp("2026-01-01T00:01:00Z"))
        #expect(try await status().limits == [limit])
    }
}
