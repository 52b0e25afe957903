import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("matching a request to a recording")
struct MatchingTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }
    private let base = "https://api.github.com"

    @Test(
        "these spellings are the same request",
        arguments: [
            ("https://api.github.com/a?x=1&y=2", "https://API.GitHub.com:443/a?y=2&x=1"),
            ("https://api.github.com/a", "https://api.github.com/a?"),
            ("https://api.github.com/a?q=a+b", "https://api.github.com/a?q=a%20b"),
            ("https://api.github.com/a?q=location:Berlin", "https://api.github.com/a?q=location%3aBerlin"),
            ("https://api.github.com/%7euser/%C3%A9", "https://api.github.com/~user/é"),
            ("https://api.github.com/a#top", "https://api.github.com/a"),
            ("https://api.github.com", "https://api.github.com/"),
            (
                "https://api.github.com/a?client_id=x&client_secret=y&since=1",
                "https://api.github.com/a?since=1"
            ),
            ("https://user:pass@api.github.com/a", "https://api.github.com/a?access_token=z&token=t"),
            ("https://api.github.com/a?key=REDACTED&since=1", "https://api.github.com/a?since=1"),
            ("http://localhost:8080/a?flag", "http://LOCALHOST:8080/a?flag="),
        ])
    func same(_ recorded: String, _ asked: String) async throws {
        let recording = try Recording.of(TestHAR.entry(recorded, body: "here"), in: folder)
        #expect(try await recording.get(asked).text == "here")
    }

    @Test(
        "these are different requests",
        arguments: [
            ("https://api.github.com/a", "http://api.github.com/a"),
            ("https://api.github.com/a", "https://api.github.com:8443/a"),
            ("https://api.github.com/a", "https://api.github.com/a/"),
            ("https://api.github.com/a", "https://api.github.com/A"),
            ("https://api.github.com/a%2Fb", "https://api.github.com/a/b"),
            ("https://api.github.com/a?since=1", "https://api.github.com/a"),
            ("https://api.github.com/a?x=1", "https://api.github.com/a?x=1&x=1"),
        ])
    func different(_ recorded: String, _ asked: String) async throws {
        let recording = try Recording.of(TestHAR.entry(recorded), in: folder)
        #expect(await fault { try await recording.get(asked) }?.code == .notFound)
    }

    @Test("a method must be equal")
    func method() async throws {
        let recording = try Recording.of(TestHAR.entry(base + "/a", method: "DELETE"), in: folder)
        #expect(await fault { try await recording.get(base + "/a") }?.code == .notFound)
    }

    @Test("a page size is optional, but an exact recording comes first")
    func softQueryItems() async throws {
        let path = folder.write(
            TestHAR.file(
                TestHAR.entry(base + "/users?per_page=30", body: "thirty"),
                TestHAR.entry(base + "/users?per_page=50", body: "fifty"),
                TestHAR.entry(base + "/repos?per_page=30", body: "thirty"),
                TestHAR.entry(base + "/repos", body: "default")))
        let recording = try Recording.open(path)
        #expect(try await recording.get(base + "/users?per_page=50").text == "fifty")
        #expect(try await recording.get(base + "/users?per_page=100").text == "fifty")
        #expect(try await recording.get(base + "/users").text == "fifty")
        #expect(try await recording.get(base + "/repos?per_page=100").text == "default")
        #expect(
            await fault { try await recording.get(base + "/users?per_page=100&since=1") }?.code == .notFound)
        #expect(try await recording.get(base + "/users?per_page=100&since=0").text == "fifty")
        let strict = try Recording.open(path, softQueryItems: [])
        #expect(await fault { try await strict.get(base + "/users?per_page=100") }?.code == .notFound)
    }

    @Test("a recorded body must be equal, with form parameters in any order; without one any body matches")
    func bodies() async throws {
        let form = #"{"mimeType": "application/x-www-form-urlencoded", "text": "limit=100&token=x&a=1"}"#
        let parameters =
            #"{"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "b", "value": "2"}]}"#
        let json = #"{"mimeType": "application/json", "text": "{\"a\":1}"}"#
        let list = "https://slack.com/api/users.list"
        let recording = try Recording.of(
            TestHAR.entry(list, method: "POST", body: "form", postData: form),
            TestHAR.entry(list, method: "POST", body: "parameters", postData: parameters),
            TestHAR.entry(list, method: "POST", body: "json", postData: json),
            TestHAR.entry("https://slack.com/api/auth.test", method: "POST", body: "any"), in: folder)
        #expect(try await recording.post(list, "a=1&token=y&limit=100") == "form")
        #expect(try await recording.post(list, "b=2") == "parameters")
        #expect(try await recording.post(list, "{\"a\":1}", "application/json") == "json")
        #expect(await fault { try await recording.post(list, "a=2") }?.code == .notFound)
        #expect(try await recording.post("https://slack.com/api/auth.test", "x", "text/plain") == "any")
    }

    @Test("the parameters of a form may have been recorded in the address of a POST or a GET")
    func formsInAddresses() async throws {
        let list = "https://slack.com/api/users.list"
        let recording = try Recording.of(
            TestHAR.entry(list + "?limit=200&token=x", body: "first"),
            TestHAR.entry(list + "?cursor=abc&limit=200", method: "POST", body: "second"),
            TestHAR.entry("https://slack.com/api/users.info?user=U1", body: "U1"), in: folder)
        #expect(try await recording.post(list, "limit=200&token=y") == "first")
        #expect(try await recording.post(list, "limit=100") == "first")
        #expect(try await recording.post(list, "limit=200&cursor=abc") == "second")
        #expect(try await recording.post("https://slack.com/api/users.info", "user=U1") == "U1")
        #expect(
            await fault { try await recording.post("https://slack.com/api/users.info", "user=U2") }?.code
                == .notFound)
    }

    @Test("parameters that a tool wrote beside an empty or null text are those of the form")
    func formParameters() async throws {
        let info = "https://slack.com/api/users.info"
        func form(_ user: String, _ text: String) -> String {
            "{\"mimeType\": null, \"text\": \(text), \"params\": [{\"name\": \"user\", \"value\": \"\(user)\"}]}"
        }
        let recording = try Recording.of(
            TestHAR.entry(info, method: "POST", body: "one", postData: form("U1", "\"\"")),
            TestHAR.entry(info, method: "POST", body: "two", postData: form("U2", "null")),
            TestHAR.entry(
                info, method: "POST", body: "any", postData: "{\"mimeType\": \"\", \"params\": null}"),
            in: folder)
        #expect(try await recording.post(info, "user=U2") == "two")
        #expect(try await recording.post(info, "user=U1") == "one")
        #expect(try await recording.post(info, "user=U3") == "any")
    }

    @Test("the query that a tool wrote only in queryString is part of the address")
    func queryString() async throws {
        func entry(_ page: String, _ body: String) -> String {
            TestHAR.entry(base + "/users", body: body).replacing(
                "\"headers\": []}",
                with: "\"queryString\": [{\"name\": \"q\", \"value\": \"a b\"}, "
                    + "{\"name\": \"page\", \"value\": \(page)}]}")
        }
        let recording = try Recording.of(entry("\"2\"", "two"), entry("3", "three"), in: folder)
        #expect(try await recording.get(base + "/users?page=3&q=a+b").text == "three")
        #expect(try await recording.get(base + "/users?page=2&q=a%20b").text == "two")
        #expect(await fault { try await recording.get(base + "/users") }?.code == .notFound)
    }

    @Test("the order of a list and an empty cursor are optional")
    func order() async throws {
        let recording = try Recording.of(
            TestHAR.entry(base + "/search?q=a&sort=stars&order=desc", body: "found"),
            TestHAR.entry(base + "/items?cursor=&limit=5", body: "items"),
            TestHAR.entry(base + "/users/ada/repos?direction=asc&sort=updated", body: "repos"),
            TestHAR.entry(base + "/shop?order=17", body: "order 17"), in: folder)
        #expect(try await recording.get(base + "/users/ada/repos").text == "repos")
        #expect(try await recording.get(base + "/search?q=a&per_page=100").text == "found")
        #expect(try await recording.get(base + "/items?limit=200").text == "items")
        #expect(await fault { try await recording.get(base + "/items?cursor=x") }?.code == .notFound)
        #expect(await fault { try await recording.get(base + "/shop?order=18") }?.code == .notFound)
    }

    @Test(
        "JSON bodies are compared by value, without placeholders",
        arguments: [
            (#"{"q":"a\/\u00fc","limit":5}"#, #"{ "limit": 5, "q": "a/ü" }"#, true),
            (#"{"o":{"x":1,"y":[true,null]}}"#, #"{"o": {"y": [true, null], "x": 1}}"#, true),
            (#"[{"q":"\u00fc","n":1}]"#, #"[ {"n": 1, "q": "ü"} ]"#, true),
            (#"{"q":"a","key":"REDACTED"}"#, #"{"q": "a"}"#, true),
            (#"{"q":[1,2]}"#, #"{"q":[2,1]}"#, false), (#"{"q":"1"}"#, #"{"q":1}"#, false),
        ])
    func json(_ recorded: String, _ asked: String, _ isSame: Bool) async throws {
        let url = base + "/search"
        let postData = #"{"mimeType": "application/json", "text": \#(TestHAR.quoted(recorded))}"#
        let recording = try Recording.of(
            TestHAR.entry(url, method: "POST", body: "here", postData: postData), in: folder)
        let error = await fault { try await recording.post(url, asked, "application/json") }
        #expect(error?.code == (isSame ? nil : .notFound))
    }

    @Test(
        "answers to one request come in the order of their times, in that of the file if one has none",
        arguments: [("2026-01-01T11:00:00Z", "1 2 3"), ("at noon", "3 1 2")])
    func times(_ time: String, _ bodies: String) async throws {
        let url = base + "/a"
        let recording = try Recording.of(
            TestHAR.entry(url, body: "3", time: "2026-01-01T12:00:00.002+01:00"),
            TestHAR.entry(url, body: "1", time: time),
            TestHAR.entry(url, body: "2", time: "2026-01-01T11:00:00.001Z"), in: folder)
        var found: [String] = []
        for _ in 1...3 { try await found.append(recording.get(url).text) }
        #expect(found.joined(separator: " ") == bodies)
    }

    @Test("the members of a JSON object are equal to the parameters of a form")
    func jsonAndForms() async throws {
        let url = "https://slack.com/api/conversations.members"
        let json = TestHAR.quoted(#"{"channel":"C 1","q":"a+b","ts":1.5,"limit":2,"cursor":"","token":"x"}"#)
        let recording = try Recording.of(
            TestHAR.entry(
                url, method: "POST", body: "here",
                postData: "{\"mimeType\": \"application/json\", \"text\": \(json)}"), in: folder)
        #expect(try await recording.post(url, "limit=200&ts=1.5&channel=C+1&q=a%2Bb") == "here")
        #expect(await fault { try await recording.post(url, "ts=1.5&channel=C+1&q=a+b") }?.code == .notFound)
    }

    @Test(
        "members of a JSON object that are null or empty objects do not distinguish requests",
        arguments: [
            #"{"query":"q","variables":{"n":2}}"#,
            #"{"query":"q","variables":{"after":null,"n":2},"extensions":{}}"#,
            #"{"variables":{"n":2,"in":{"a":null}},"query":"q","operationName":null}"#,
        ])
    func nulls(_ sent: String) async throws {
        let url = "https://a.example/graphql"
        func entry(_ body: String, _ sent: String) -> String {
            let data = "{\"mimeType\": \"application/json\", \"text\": \(TestHAR.quoted(sent))}"
            return TestHAR.entry(url, method: "POST", body: body, postData: data)
        }
        let first = #"{"query":"q","variables":{"after":null,"n":2}}"#
        let next = #"{"query":"q","variables":{"after":"c2","n":2}}"#
        let recording = try Recording.of(entry("next", next), entry("first", first), in: folder)
        #expect(try await recording.post(url, sent, "application/json") == "first")
        #expect(try await recording.post(url, next, "application/json") == "next")
    }

    @Test("a repeated request gets the answers in order, then the last one again")
    func repeats() async throws {
        let entries = ["one", "two", "three"].map { TestHAR.entry(base + "/a", body: $0) }
        let path = folder.write(TestHAR.file(entries[0], entries[1], entries[2]))
        let recording = try Recording.open(path)
        var bodies: [String] = []
        for _ in 0..<5 { try await bodies.append(recording.get(base + "/a").text) }
        #expect(bodies == ["one", "two", "three", "three", "three"])
        #expect(try await Recording.open(path).get(base + "/a").text == "one")
    }

    @Test("concurrent requests get each recorded answer once")
    func concurrency() async throws {
        let count = 64
        let entries = (0..<count).map { TestHAR.entry(base + "/a", body: String($0)) }.joined(separator: ",")
        let recording = try Recording.open(folder.write("{\"log\": {\"entries\": [\(entries)]}}"))
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<count { group.addTask { try await recording.get("https://api.github.com/a").text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(bodies.count == count)
    }

    @Test(
        "soft query items may have names and values in any encoding",
        arguments: ["$skip=0", "page[number]=1"])
    func encodedSoftQueryItems(_ item: String) async throws {
        let path = folder.write(
            TestHAR.file(TestHAR.entry(base + "/a?" + item, body: "one")), to: "\(item.count).har")
        let encoded = folder.write(
            TestHAR.file(TestHAR.entry(base + "/a?" + PercentEncoding.target(item), body: "one")),
            to: "encoded-\(item.count).har")
        for path in [path, encoded] {
            let recording = try Recording.open(path, softQueryItems: [item])
            #expect(try await recording.get(base + "/a").text == "one")
            let second = await fault { try await recording.get("\(base)/a?\(item.dropLast())2") }
            #expect(second?.code == .notFound)
        }
    }

    @Test("an unknown request is refused with the nearest one, the count and the recording, but no secret")
    func unknown() async throws {
        let recording = try Recording.of(
            TestHAR.entry(base + "/users/octocat"), TestHAR.entry(base + "/users/mojombo"),
            TestHAR.entry(base + "/repos/octocat/hello"), in: folder)
        let near = await fault {
            try await recording.get(base + "/users/octocta?access_token=t0p&my_secret=s3cr3t")
        }
        #expect(
            near?.message
                == "the recording \"test.har\" does not contain an answer to GET https://api.github.com/users/octocta"
                + "?my_secret=...; record the request, or send one that was recorded "
                + "(the nearest of its 3 entries is GET https://api.github.com/users/octocat)")
        let far = await fault { try await recording.get("https://example.org/") }
        #expect(
            far?.message
                == "the recording \"test.har\" does not contain an answer to GET https://example.org/; "
                + "record the request, or send one that was recorded (it has exchanges with api.github.com)")
        let other = await fault { try await recording.get(base + "/repositories/17") }
        #expect(other?.message.contains("nearest") == false)
    }

    @Test("a case-insensitive server is replayed as such, with the exact spelling first")
    func ignoringCase() async throws {
        let recording = try Recording.of(
            TestHAR.entry(base + "/users/Ada/repos?per_page=30", body: "repos"),
            TestHAR.entry(base + "/users/Ada", body: "Ada"), TestHAR.entry(base + "/users/ADA", body: "ADA"),
            TestHAR.entry(base + "/search?q=ada", body: "found"), in: folder)
        let folding = recording.ignoringCase()
        for (path, text) in [
            ("/users/ADA", "ADA"), ("/users/ada", "Ada"), ("/users/ADA/repos?per_page=100", "repos"),
            ("/search?q=Ada", "found"),
        ] {
            #expect(try await folding.get(base + path).text == text)
        }
        #expect(await fault { try await folding.get(base + "/users/eda") }?.code == .notFound)
        #expect(await fault { try await recording.get(base + "/users/ada") }?.code == .notFound)
    }
}
