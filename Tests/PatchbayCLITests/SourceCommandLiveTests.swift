#if Live
import Foundation
import TestServer
import TestSupport
import Testing

/// Runs the commands that query a source over the network, as users do.
@Suite("The command with a server", .timeLimit(.minutes(5)))
struct SourceCommandLiveTests {
    private let command: Command
    private static let repositories = (1...3).map { page in
        let item =
            #"{"id": \#(page), "name": "r\#(page)", "full_name": "ada/r\#(page)", "private": false, "#
            + #""fork": false, "owner": {"id": 7, "login": "ada", "type": "User"}, "topics": []}"#
        return "[\(item)]"
    }

    init() throws {
        var command = try Command()
        command.environment = [
            "TOKEN": "ghp_s3cret", "PATCHBAY_CONFIG": command.directory + "/patchbay.conf",
        ]
        self.command = command
    }

    private func write(_ server: ScriptedServer, _ more: String = "") throws {
        let text = """
            source = github
            source.base-url = http://127.0.0.1:\(server.port)
            source.token = env:TOKEN
            storage = sqlite
            storage.path = \(command.directory)/store.sqlite
            \(more)
            """
        try command.write(text, to: "patchbay.conf")
    }

    /// Three linked pages with one repository each.
    private func pages() async throws -> ScriptedServer {
        let paths = ["/users/ada/repos?per_page=100", "/user/7/repos?page=2", "/user/7/repos?page=3"]
        var answers: [String: [ScriptedServer.Step]] = [:]
        for (place, path) in paths.enumerated() {
            answers[path] = [.linked(Self.repositories[place], next: paths.dropFirst(place + 1).first)]
        }
        answers["/rate_limit"] = [
            .answer(
                #"{"resources": {"core": {"limit": 5000, "remaining": 4321, "reset": 4102444800}}}"#,
                fields: ["GitHub-Authentication-Token-Expiration: 2020-01-01 00:00:00 UTC"])
        ]
        return try await ScriptedServer(answers)
    }

    @Test("a sync reports its expected cost, its result and its requests; a plan sends none")
    func sync() async throws {
        let server = try await pages()
        try write(server)
        let plan = try await command.finished("sync", "repos", "ada", "--plan", "--format", "json")
        #expect(plan.status == 0 && plan.output.contains("\"requests_min\": 1"), "\(plan)")
        #expect(server.seen.requests.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory) == ["patchbay.conf"])
        let first = try await command.finished("sync", "repos", "ada", "--max-requests", "2")
        #expect(first.status == 0 && first.output.isEmpty, "\(first)")
        #expect(
            first.errors == """
                at least 1 request, at most 2
                2 rows (2 new), 2 requests, 0 unchanged: stopped at --max-requests; run the same command to resume

                """)
        let rest = try await command.finished("sync", "repos", "ada", "--stats")
        #expect(
            rest.errors == """
                resumes after page 2: at least 2 requests
                1 row (1 new), 2 requests, 0 unchanged: complete
                requests: 2 sent, 0 unchanged (304), cost 0, 0 retried, waited 0 s, \
                \(Self.repositories[1].utf8.count + Self.repositories[2].utf8.count) bytes

                """)
        let list = try await command.finished("list", "repos", "ada", "--offline", "--format", "csv")
        #expect(list.output.split(separator: "\n").count == 4, "\(list)")
        // The last stored page is requested again, because the list may have moved.
        #expect(server.seen.requests.count == 4)
    }

    @Test("a failure in the middle keeps stored rows and has the status of its kind")
    func failure() async throws {
        let server = try await ScriptedServer([
            "/users/ada/repos?per_page=100": [
                .linked(Self.repositories[0], next: "/user/7/repos?page=2")
            ],
            "/user/7/repos?page=2": [
                .answer(
                    #"{"message": "API rate limit exceeded"}"#, status: "403 Forbidden",
                    fields: ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 4102444800"])
            ],
        ])
        try write(server, "source.wait-at-most-seconds = 0")
        let outcome = try await command.finished("sync", "repos", "ada")
        #expect(outcome.status == 12, "\(outcome)")
        let gone = try await command.finished("sync", "repos", "nobody")
        #expect(gone.errors.contains("0 rows, 0 requests, 0 unchanged: stopped\n"), "\(gone.errors)")
        #expect(
            outcome.errors.contains("1 row (1 new), 2 requests, 0 unchanged: stopped; stored rows are kept"))
        #expect(outcome.errors.contains("try again in"))
        let plan = try await command.finished("sync", "repos", "ada", "--plan")
        #expect(plan.output.contains("stored before  1 page\n"), "\(plan)")
        #expect(plan.output.contains("enough         no: the sync will wait or stop"), "\(plan)")
        #expect(try await command.finished("limits", "--offline").output.contains("core"))
    }

    @Test("the log has one line per request, on standard error or in a file, and never the token")
    func log() async throws {
        let server = try await pages()
        try write(server)
        let outcome = try await command.finished("sync", "repos", "ada", "--log")
        let lines = outcome.errors.split(separator: "\n").filter { $0.contains(" GET http://127.0.0.1:") }
        #expect(lines.count == 3, "\(outcome)")
        #expect(lines.allSatisfy { $0.contains(" 200 ") && $0.contains(" network left=- id=- token=") })
        var other = command
        other.environment["PATCHBAY_LOG"] = command.directory + "/requests.log"
        let quiet = try await other.finished("api", "GET", "/rate_limit")
        #expect(quiet.errors.isEmpty, "\(quiet)")
        let file = try command.text(of: "requests.log")
        #expect(file.split(separator: "\n").count == 1 && file.contains("/rate_limit 200 "))
        for text in [outcome.errors, file] { #expect(!text.contains("s3cret")) }
    }

    @Test("api prints an answer unchanged, all pages as one array, and errors with their status")
    func api() async throws {
        let server = try await pages()
        try write(server)
        let raw = try await command.finished("api", "GET", "/users/ada/repos?per_page=100")
        #expect(raw.status == 0 && raw.output == Self.repositories[0])
        let all = try await command.finished("api", "GET", "/users/ada/repos?per_page=100", "--paginate")
        let items = try #require(
            JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
        #expect(items.map { $0["id"] as? Int } == [1, 2, 3])
        let head = try await command.finished("api", "GET", "/rate_limit", "--include")
        #expect(
            head.output.hasPrefix("HTTP 200\n") && head.output.lowercased().contains("token-expiration: "))
        #expect(!head.output.contains("s3cret"))
        let elsewhere = try await command.finished("api", "GET", "http://localhost:\(server.port)/rate_limit")
        #expect(elsewhere.status == 10 && elsewhere.output.isEmpty, "\(elsewhere)")
        let object = try await command.finished("api", "GET", "/rate_limit", "--paginate")
        #expect(object.status == 15, "\(object)")
        #expect(try await command.finished("api", "POST", "/users").status == 2)
    }

    @Test("a single page is reported if the definition continues lists, but not by Link headers")
    func unlinkedPages() async throws {
        let server = try await ScriptedServer(["/rows": [.answer(#"[{"id": 1}]"#)]])
        for (next, status) in [("last after id", 19), ("link", 0), ("none", 0)] {
            let definition = """
                api = x
                base-url = http://127.0.0.1:\(server.port)
                rows.path = /rows
                rows.next = \(next)
                rows.key = id
                rows.field.id = integer
                """
            try command.write(definition, to: "x.conf")
            let configuration = """
                source = rest
                source.definition = \(command.directory)/x.conf
                storage = sqlite
                storage.path = \(command.directory)/store.sqlite
                """
            try command.write(configuration, to: "patchbay.conf")
            let pages = try await command.finished("api", "GET", "/rows", "--paginate")
            #expect(pages.status == status && pages.output == "[{\"id\": 1}]\n", "\(pages)")
            #expect(pages.errors.contains("no Link header names a next page") == (status == 19), "\(pages)")
        }
    }

    @Test("without a check, the error of limits names the stored ones")
    func noCheck() async throws {
        let definition = """
            api = x
            base-url = http://127.0.0.1:1
            rows.path = /rows
            rows.key = id
            rows.field.id = integer
            """
        try command.write(definition, to: "x.conf")
        let configuration =
            "source = rest\nsource.definition = \(command.directory)/x.conf\n"
            + "storage = sqlite\nstorage.path = \(command.directory)/store.sqlite\n"
        try command.write(configuration, to: "patchbay.conf")
        let limits = try await command.finished("limits")
        #expect(limits.status == 15 && limits.errors.contains("--offline shows the limits"), "\(limits)")
    }

    @Test("the body of an error is also printed, and its kind determines the status")
    func apiError() async throws {
        let body = #"{"message": "Not Found"}"#
        let refusal = ScriptedServer.Step.answer(body, status: "404 Not Found")
        let server = try await ScriptedServer(["/nothing": [refusal], "/none": [refusal]])
        try write(server)
        let outcome = try await command.finished("api", "GET", "/nothing")
        #expect(outcome.status == 4 && outcome.output == body)
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
        let pages = try await command.finished("api", "GET", "/none", "--paginate")
        #expect(pages.status == 4 && pages.output.isEmpty, "\(pages)")
    }

    @Test("limits and doctor send one request; an expired token is reported")
    func doctor() async throws {
        let server = try await pages()
        try write(server)
        let limits = try await command.finished("limits", "--format", "csv")
        #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory) == ["patchbay.conf"])
        #expect(limits.output.contains("core,5000,4321,2100-01-01T00:00:00Z"), "\(limits)")
        let doctor = try await command.finished("doctor", "--format", "csv")
        #expect(doctor.status == 0, "\(doctor)")
        #expect(doctor.output.contains("token,warn,"), "\(doctor)")
        #expect(doctor.output.contains("it expired at 2020-01-01T00:00:00Z"), "\(doctor)")
        #expect(
            doctor.output.contains("limits,ok,\"4321 of 5000")
                || doctor.output.contains("limits,ok,4321 of 5000"))
        #expect(server.seen.requests.count == 2)
        let offline = try await command.finished("doctor", "--offline")
        #expect(offline.status == 0 && server.seen.requests.count == 2)
    }

    @Test("doctor warns while a server has asked to wait")
    func waiting() async throws {
        let refusal = ScriptedServer.Step.answer(
            "{}", status: "429 Too Many Requests", fields: ["Retry-After: 600"])
        let server = try await ScriptedServer(["/users/ada/repos?per_page=100": [refusal]])
        try write(server)
        #expect(try await command.finished("list", "repos", "ada").status == 12)
        let doctor = try await command.finished("doctor", "--offline", "--format", "csv")
        #expect(
            doctor.output.contains("limits,warn,http://127.0.0.1:\(server.port) asked to wait until 2"),
            "\(doctor)")
    }

    @Test("doctor and limits of an API without auth, check and limits do not complain")
    func plainAPI() async throws {
        let server = try await ScriptedServer(["/things": [.answer(#"[{"id": 1}]"#)]])
        let definition = """
            api = plain
            base-url = http://127.0.0.1:\(server.port)
            things.path = /things
            things.key = id
            things.field.id = integer
            """
        try command.write(definition, to: "plain.conf")
        let configuration = "source = rest\nsource.definition = plain.conf\nstorage.path = plain.sqlite\n"
        try command.write(configuration, to: "patchbay.conf")
        #expect(
            try await command.finished("list", "things", "--format", "csv").output == "id,source_state\n1,\n")
        let limits = try await command.finished("limits", "--offline", "--format", "csv")
        #expect(limits.output == "server,token,resource,limit,remaining,resets_at\n", "\(limits)")
        let doctor = try await command.finished("doctor", "--format", "csv")
        #expect(
            doctor.output.hasSuffix(
                """
                token,ok,none is needed (the definition sets no auth),
                reachability,skip,not checked (the definition names no check),

                """), "\(doctor)")
        let useless = try await command.finished(
            "doctor", "--format", "csv", "--set", "source.token=env:TOKEN")
        #expect(
            useless.output.contains(
                """
                token,warn,not sent (the definition sets no auth),"set auth in the definition, or remove source.token"
                """), "\(useless)")
    }

    @Test("the status of doctor is that of the first failure", .timeLimit(.minutes(5)))
    func ill() async throws {
        let refusing = try await ScriptedServer([
            "/rate_limit": [.answer(#"{"message": "Bad credentials"}"#, status: "401 Unauthorized")]
        ])
        try write(refusing)
        let outcome = try await command.finished("doctor")
        #expect(outcome.status == 13 && outcome.output.contains("fail"), "\(outcome)")
        let wrong = try await ScriptedServer(["/rate_limit": [.answer("{}", status: "404 Not Found")]])
        try write(wrong)
        let elsewhere = try await command.finished("doctor")
        #expect(elsewhere.status == 4 && elsewhere.output.contains("check source.base-url"), "\(elsewhere)")
        var withoutToken = command
        withoutToken.environment["TOKEN"] = nil
        #expect(try await withoutToken.finished("doctor", "--offline").status == 3)
        try command.write("source = githb\n", to: "patchbay.conf")
        let fault = try await command.finished("doctor")
        #expect(fault.status == 3 && fault.output.contains("did you mean"), "\(fault)")
    }
}

extension ScriptedServer.Step {
    /// A page that links to the next one at the address of the request.
    fileprivate static func linked(_ body: String, next: String?) -> ScriptedServer.Step {
        .answer(
            body, fields: next.map { ["Link: <http://\(ScriptedServer.hostMark)\($0)>; rel=\"next\""] } ?? [])
    }
}
#endif
