import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Runs `patchbay definition draft` as users do.
@Suite("The command that drafts definitions", .mayBlock)
struct DraftCommandTests {
    private let command: Command

    init() throws { command = try Command() }

    private func draft(_ arguments: String..., input: String? = nil) throws -> Command.Outcome {
        var command = command
        command.input = input
        return try command.run(["definition", "draft"] + arguments)
    }

    @Test("the draft of a recording passes the check and lists its rows")
    func recording() throws {
        let sample = Checkout.path("Recordings/sample.har")
        #expect(try draft(sample, "--output", "sample.conf").status == 0)
        let check = try command.run(["definition", "check", "sample.conf"])
        #expect(check.status == 0, "\(check.errors)")
        let text = try command.text(of: "sample.conf")
        #expect(text.contains("users.show = /users/{handle}\n"))
        #expect(text.contains("repos.path = /users/{users.login}/repos?per_page=100\n"))
        #expect(try draft(sample, "--output", "sample.conf").status != 0)
    }

    @Test(
        "the draft of a recording of JSON bodies keeps nested parameters and replays the recording",
        arguments: [
            (#""next_cursor":"c-2""#, #""start_cursor":"c-2""#), (#""next":[2,"c"]"#, #""after":[2,"c"]"#),
            (#""next":{"a":2,"b":{"S":"c"}}"#, #""start":{"a":2,"b":{"S":"c"}}"#),
            (#""next":{"a":2,"b":"c"}"#, #""a":2,"b":"c""#),
        ])
    func nestedParameters(_ cursor: String, _ sent: String) throws {
        func entry(_ sent: String, _ body: String) -> String {
            TestHAR.entry(
                "https://api.example.org/v1/notes", method: "POST", body: body, postData: TestHAR.posted(sent)
            )
        }
        let filter = #""filter":{"value":"page","tags":["a"],"x/y":1},"archived":false"#
        let entries = [
            entry("{\(filter)}", #"{"results":[{"id":"p-1"},{"id":"p-2"}],\#(cursor)}"#),
            entry("{\(filter),\(sent)}", #"{"results":[{"id":"p-3"}]}"#),
        ]
        try command.write(TestHAR.file(entries), to: "notes.har")
        #expect(try draft("notes.har", "--output", "notes.conf").status == 0)
        let definition = try command.text(of: "notes.conf")
        let query = "filter/value=page&filter/tags/0=a&filter/x~1y=1&archived=false"
        #expect(definition.contains("notes.path = /notes?\(query)\n"), "\(definition)")
        let rows = try command.run([
            "list", "notes", "--source", "recorded", "--set", "source.path=notes.har", "--set",
            "source.definition=notes.conf", "--storage", "memory", "--format", "csv",
        ])
        #expect(rows.output.split(separator: "\n").count == 4, "\(rows.output)\(rows.errors)")
    }

    @Test("the draft of a recording has no values that may be secrets, and no list of what a login answered")
    func secrets() throws {
        func entry(
            _ path: String, posted: String? = nil, as mediaType: String = "application/x-www-form-urlencoded",
            sent: [(String, String)] = []
        ) -> String {
            TestHAR.entry(
                "https://api.example.org/v1" + path, method: posted == nil ? "GET" : "POST",
                body: #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#,
                postData: posted.map { TestHAR.posted($0, mediaType) } ?? "null", sent: sent)
        }
        let entries = [
            entry("/things?limit=2&PWD=s3cret&sid=s3cret&appid=s3cret&otp=s3cret&pin=s3cret&color=red"),
            entry("/more", sent: [("Idempotency-Key", "REDACTED"), ("Authorization", "REDACTED")]),
            entry("/sessions", posted: #"{"user":"ada","auth":{"Pass":"s3cret"}}"#, as: "application/json"),
            entry("/logins", posted: "user=ada&password=s3cret"),
            entry("/tickets?pin=s3cret", posted: "limit=5"),
            entry("/found", posted: "limit=5&token=s3cret"),
        ]
        try command.write(TestHAR.file(entries), to: "x.har")
        let outcome = try draft("x.har")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("things.path = /things?limit=2&color=red\n"), "\(outcome.output)")
        #expect(outcome.output.contains("\nauth = bearer\n"), "\(outcome.output)")
        #expect(outcome.output.contains("found.path = "), "\(outcome.output)")
        for word in ["s3cret", "sessions", "logins", "tickets"] {
            #expect(!outcome.output.contains(word) && !outcome.errors.contains(word), "\(word)")
        }
    }

    @Test("an answer from a file or standard input is drafted, with the path of its rows")
    func answers() throws {
        let outcome = try draft("-", "--rows", "a/b", input: #"{"a":{"b":[{"id":1}]}}"#)
        #expect(outcome.output.contains("rows.rows = a/b\n") && outcome.output.contains("rows.key = id\n"))
        let file = command.directory + "/books.json"
        try Data(#"[{"isbn":"1","title":"x"}]"#.utf8).write(to: URL(fileURLWithPath: file))
        #expect(try draft("books.json").output.contains("books.key = isbn\n"))
    }

    @Test("a sample without rows is refused with the option that names their place")
    func noRows() throws {
        let outcome = try draft("-", input: "[]")
        #expect(outcome.status == 10 && outcome.errors.hasSuffix(" with --rows\n"), "\(outcome.errors)")
        let named = try draft("-", "--rows", "a", input: "[]")
        #expect(named.status == 10 && !named.errors.contains("--rows"), "\(named.errors)")
    }

    @Test(
        "a description of an API that cannot be read is refused with the way out",
        arguments: [
            (#"{"swagger":"2.0","paths":{},"tags":[{"name":"x"}]}"#, "describes no operation\n"),
            ("openapi: 3.1.0\npaths:\n\t/x: {}\n", "line 3: a tab is used as indentation; use spaces"),
            (
                "---\n# an API\ninfo: {}\nswagger: '2.0'\ninfo: 1\n",
                "line 5: the key \"info\" is in line 3, too"
            ),
            (
                ##"{"openapi":"3.0.0","paths":{"/x":{"get":{"$ref":"x.json#/get"}}}}"##,
                "it refers to x.json, which is not below the folder of the document"
            ),
            (#"{"openapi":"3.1.0","webhooks":{},"servers":[{"url":"/"}]}"#, "describes no operation\n"),
        ])
    func otherDescriptions(_ text: String, _ words: String) throws {
        let outcome = try draft("-", input: text)
        #expect(outcome.status == 10 && outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test("references are followed below the folder of the description, and links out of it are not")
    func folders() throws {
        let inside = command.directory + "/api"
        try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
        let list =
            "get: {responses: {200: {content: {application/json: {schema: {type: array, items: "
            + "{properties: {id: {type: integer}}}}}}}}}\n"
        try command.write(list, to: "secrets.yaml")
        try Data(list.utf8).write(to: URL(fileURLWithPath: inside + "/shops.yaml"))
        try FileManager.default.createSymbolicLink(
            atPath: inside + "/link.yaml", withDestinationPath: command.directory + "/secrets.yaml")
        let text = """
            openapi: 3.0.0
            servers: [{url: https://shops.example.org}]
            paths: {/shops: {$ref: shops.yaml}, /owners: {$ref: link.yaml}, /rest: {$ref: ../secrets.yaml}}
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: inside + "/api.yaml"))
        let outcome = try draft(inside + "/api.yaml")
        #expect(
            outcome.status == 0 && outcome.output.contains("\nshops.path = /shops\n"), "\(outcome.errors)")
        #expect(!outcome.output.contains("owners") && !outcome.output.contains("/rest"))
    }

    @Test("a pipe to which a description refers is not read", .timeLimit(.minutes(1)))
    func pipes() throws {
        let text = """
            openapi: 3.0.0
            servers: [{url: https://shops.example.org}]
            paths:
              /shops:
                get:
                  x-source: {$ref: pipe}
                  responses: {200: {content: {application/json: {schema: {type: array, items:
                    {properties: {id: {type: integer}}}}}}}}
            """
        try command.write(text, to: "api.yaml")
        unsafe #expect(mkfifo(command.directory + "/pipe", 0o600) == 0)
        let outcome = try draft("api.yaml")
        #expect(
            outcome.status == 0 && outcome.errors.contains("not below the folder: pipe"), "\(outcome.errors)")
    }

    @Test("an option that has no effect on a sample is refused")
    func options() throws {
        let answer = try draft("-", "--auth", "basic", input: #"[{"id":1}]"#)
        #expect(
            answer.status == 2 && answer.errors.contains("--auth applies only to an address"),
            "\(answer.errors)")
        let connector = """
            type: DeclarativeSource
            check: {type: CheckStream, stream_names: [users]}
            streams:
              - type: DeclarativeStream
                name: users
                primary_key: id
                retriever:
                  type: SimpleRetriever
                  requester: {type: HttpRequester, url_base: "https://a.example.org", path: /users}
                  record_selector: {type: RecordSelector, extractor: {type: DpathExtractor, field_path: []}}
                schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: integer}}}}
            """
        #expect(try draft("-", input: connector).status == 0)
        let manifest = try draft("-", "--rows", "a/b", input: connector)
        #expect(
            manifest.status == 2 && manifest.errors.contains("--rows applies to answers"),
            "\(manifest.errors)")
    }

    @Test("a draft ends with a summary on standard error, and may be of some lists only")
    func summary() throws {
        let text = """
            openapi: 3.0.0
            servers: [{url: https://shops.example.org}]
            paths:
              /shops: &list
                get: {responses: {200: {content: {application/json: {schema: {type: array, items: {properties:
                  {id: {type: integer}}}}}}}}}
              /owners: *list
              /x: {get: {responses: {204: {}}}}
            """
        let outcome = try draft("-", "--only", "owners", input: text)
        #expect(outcome.status == 0 && !outcome.output.contains("shops.path"))
        #expect(
            outcome.errors == """
                1 list: owners
                pages: 1 unknown and read as one page (owners); add NAME.next if there are more
                left out: 1 GET without a JSON answer
                try first: patchbay list owners --source rest --set source.definition=FILE

                """)
        #expect(try draft("-", "--only", "cars", input: text).status == 10)
    }

    @Test("samples that cannot be drafted are refused with a reason")
    func faults() throws {
        for (arguments, words) in [
            (["-"], "is not JSON"), (["none.json"], "cannot be opened"),
            (["-", "--rows", "a//b"], "is not a path"),
            (["-", "--auth", "magic"], "is not one of bearer"),
            (["https://name@host.example/x"], "is not an address"),
        ] {
            var command = command
            command.input = "x"
            let outcome = try command.run(["definition", "draft"] + arguments)
            #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
        }
    }
}
