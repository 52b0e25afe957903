import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("answering from a recording")
struct AnswerTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }
    private let url = "https://api.github.com/a"
    private let tagged = [
        ("ETag", "W/\"x\""), ("Last-Modified", "Thu, 22 Aug 2013 02:09:11 GMT"), ("X-Other", "1"),
    ]

    @Test("framing headers, pseudo headers and invalid names are left out, and odd values are tolerated")
    func headers() async throws {
        let headers = [
            (":status", "200"), ("Content-Encoding", "gzip"), ("content-length", "7"),
            ("Transfer-Encoding", "chunked"),
            ("bad name", "x"), ("X-Latin", "caf\u{E9}"), ("X-Lines", "a\nb"), ("Link", "<a>"),
            ("link", "<b>"),
        ]
        let recording = try Recording.of(TestHAR.entry(url, headers: headers), in: folder)
        let fields = try await recording.get(url).head.headerFields
        #expect(fields.map(\.name.rawName).sorted() == ["Link", "X-Latin", "X-Lines", "link"])
        #expect(fields[HTTPField.Name("X-Latin")!] == "caf\u{E9}")
        #expect(fields[HTTPField.Name("X-Lines")!] == "a b")
        #expect(fields[values: HTTPField.Name("Link")!] == ["<a>", "<b>"])
    }

    @Test(
        "a base64 body is decoded",
        arguments: [
            ("", []), ("AA==", [0]), ("//79", [255, 254, 253]), ("YW Jj\nZA", [97, 98, 99, 100]),
            ("AAEC/w==", [0, 1, 2, 255]),
        ] as [(String, [UInt8])])
    func base64(_ text: String, _ bytes: [UInt8]) async throws {
        let recording = try Recording.of(
            TestHAR.entry(url, body: text, content: ", \"encoding\": \"base64\""), in: folder)
        #expect(try await recording.get(url).body == bytes)
    }

    @Test(
        "an unavailable body is an error when it is requested",
        arguments: [
            (
                TestHAR.entry("https://api.github.com/a", body: nil, content: ", \"size\": 12"),
                "was recorded without its body"
            ),
            (
                TestHAR.entry("https://api.github.com/a", body: "A", content: ", \"encoding\": \"base64\""),
                "is not base64"
            ),
            (
                TestHAR.entry("https://api.github.com/a", content: ", \"encoding\": \"br\""),
                "the unknown encoding \"br\""
            ),
            (
                TestHAR.entry(
                    "https://api.github.com/a", headers: [("content-encoding", "gzip")], body: "H4sIAAAA",
                    content: ", \"encoding\": \"base64\""),
                "has a body that is still compressed with gzip; save the recording with decoded bodies"
            ),
            (
                TestHAR.entry(
                    "https://api.github.com/a", headers: [("content-encoding", "gzip")],
                    body: #"["1f8b0800"]"#),
                "has a body that is still compressed with gzip"
            ),
        ])
    func unavailable(_ entry: String, _ words: String) async throws {
        let recording = try Recording.of(entry, in: folder)
        let error = await fault { try await recording.get(url) }
        #expect(error?.message.hasPrefix("entry 1 of the recording \"") == true)
        #expect(error?.message.contains(words) == true)
    }

    @Test(
        "an answer with more than 10,000 header fields is an error that names the entry",
        .timeLimit(.minutes(1)))
    func manyFields() async throws {
        for (count, isAnswered) in [(10_000, true), (10_001, false), (70_000, false)] {
            let folder = try TestFolder()
            let fields = (0..<count).map { ("X-Field-\($0)", "1") }
            let recording = try Recording.of(TestHAR.entry(url, headers: fields), in: folder)
            let error = await fault { _ = try await recording.get(url) }
            #expect((error == nil) == isAnswered)
            #expect(isAnswered || error?.message.contains("more than 10000 header fields") == true)
            #expect(isAnswered || error?.message.hasPrefix("entry 1 of the recording") == true)
        }
    }

    @Test(
        "a body without text is empty if its size or status implies that",
        arguments: [
            TestHAR.entry("https://api.github.com/a", body: nil, content: ", \"size\": 0"),
            TestHAR.entry("https://api.github.com/a", status: 204, body: nil),
            TestHAR.entry("https://api.github.com/a", status: 301, body: nil, content: ", \"size\": 9"),
        ])
    func emptyBody(_ entry: String) async throws {
        let recording = try Recording.of(entry, in: folder)
        #expect(try await recording.get(url).body.isEmpty)
    }

    @Test(
        "a request with the entity tag gets 304, compared weakly",
        arguments: [
            ("W/\"x\"", 304), ("\"x\"", 304), ("\"a,b\", \"x\"", 304), ("*", 304), ("W/\"y\"", 200),
            ("x", 200),
            ("\"X\"", 200), ("", 200),
        ])
    func entityTags(_ asked: String, _ status: Int) async throws {
        let recording = try Recording.of(TestHAR.entry(url, headers: tagged), in: folder)
        let answer = try await recording.get(url, [.ifNoneMatch: asked])
        #expect(answer.status == status)
        #expect(answer.body.isEmpty == (status == 304))
        #expect(answer.head.headerFields[.eTag] == "W/\"x\"")
        #expect(answer.head.headerFields[HTTPField.Name("X-Other")!] == "1")
    }

    @Test("of answers that depend on a field of the request, it gets those for its own value, in order")
    func variants() async throws {
        func entry(_ body: String, _ accept: String, vary: String, key: String, minute: Int) -> String {
            TestHAR.entry(
                url, headers: [("Vary", vary)], body: body,
                sent: [("accept", accept), ("Accept-Encoding", "\(minute)"), ("X-Api-Key", key)],
                time: "2026-01-01T00:0\(minute):00Z")
        }
        let vary = "X-Api-Key, Accept-Encoding,Accept, X-Requested-With"
        let entries = [
            entry("j1", "Application/json", vary: vary, key: "a", minute: 1),
            entry("x1", "application/xml", vary: vary, key: "REDACTED", minute: 2),
            entry("j2", "application/json", vary: vary, key: "b", minute: 3),
        ]
        let recording = try Recording.open(folder.write(TestHAR.file(entries[0], entries[1], entries[2])))
        var answers: [String] = []
        for accept in [
            "application/xml", "application/json", "application/xml", "application/json", "application/json",
        ] {
            answers.append(try await recording.get(url, [.accept: accept, .acceptEncoding: "gzip"]).text)
        }
        #expect(answers == ["x1", "j1", "x1", "j2", "j2"])
        // Another value gets all of them in order.
        #expect(try await recording.get(url, [.accept: "*/*"]).text == "j1")
        #expect(try await recording.get(url).text == "x1")
        // Without Vary, the field does not select.
        let otherFolder = try TestFolder()
        let other = try Recording.of(
            entry("1", "a/b", vary: "Origin", key: "", minute: 1),
            entry("2", "c/d", vary: "Accept", key: "", minute: 2), in: otherFolder)
        #expect(try await other.get(url, [.accept: "c/d"]).text == "1")
    }

    @Test("a HEAD request gets the head of the next answer to the same GET, and leaves that answer for it")
    func headOfGet() async throws {
        let recording = try Recording.of(
            TestHAR.entry(url, headers: tagged, body: "1"),
            TestHAR.entry(url, body: "2", time: "2026-01-02T00:00:00Z"),
            TestHAR.entry(url + "/own", method: "HEAD", status: 204, body: nil),
            TestHAR.entry(url + "/own", body: "3"), in: folder)
        for _ in 1...2 {
            let head = try await recording.send(HTTPRequest(url, method: .head), body: [])
            #expect(head.status == 200 && head.body.isEmpty && head.head.headerFields[.eTag] == "W/\"x\"")
        }
        #expect(try await recording.get(url).text == "1")
        let next = try await recording.send(HTTPRequest(url, method: .head), body: [])
        #expect(next.head.headerFields[.eTag] == nil)
        #expect(try await recording.send(HTTPRequest(url + "/own", method: .head), body: []).status == 204)
        let error = await fault {
            try await recording.send(HTTPRequest(url + "/none", method: .head), body: [])
        }
        #expect(error?.code == .notFound && error?.message.contains("an answer to HEAD") == true)
    }

    @Test("any recorded answer matches *, even one without an entity tag")
    func anyAnswer() async throws {
        let recording = try Recording.of(TestHAR.entry(url), in: folder)
        #expect(try await recording.get(url, [.ifNoneMatch: "*"]).status == 304)
        #expect(try await recording.get(url, [.ifNoneMatch: "\"x\""]).status == 200)
    }

    @Test("an empty entity tag never matches")
    func emptyEntityTag() async throws {
        let recording = try Recording.of(TestHAR.entry(url, headers: [("ETag", "W/\"\"")]), in: folder)
        #expect(try await recording.get(url, [.ifNoneMatch: "W/\"\""]).status == 200)
    }

    @Test(
        "a date matches only without an entity tag and only if it is equal",
        arguments: [
            (HTTPFields([(.ifModifiedSince, "Thu, 22 Aug 2013 02:09:11 GMT")]), 304),
            (HTTPFields([(.ifModifiedSince, "Thu, 22 Aug 2013 02:09:12 GMT")]), 200),
            (
                HTTPFields([(.ifModifiedSince, "Thu, 22 Aug 2013 02:09:11 GMT"), (.ifNoneMatch, "\"y\"")]),
                200
            ),
        ])
    func dates(_ fields: HTTPFields, _ status: Int) async throws {
        let recording = try Recording.of(TestHAR.entry(url, headers: tagged), in: folder)
        #expect(try await recording.get(url, fields).status == status)
    }

    @Test("a recorded 304 answers only requests with its tag")
    func recorded304() async throws {
        let path = folder.write(
            TestHAR.file(
                TestHAR.entry(url, status: 304, headers: [("ETag", "\"x\"")], body: nil),
                TestHAR.entry(url, headers: [("ETag", "\"y\"")], body: "new")))
        #expect(try await Recording.open(path).get(url).text == "new")
        #expect(try await Recording.open(path).get(url, [.ifNoneMatch: "\"z\""]).text == "new")
        let recording = try Recording.open(path)
        #expect(try await recording.get(url, [.ifNoneMatch: "W/\"x\""]).status == 304)
        #expect(try await recording.get(url, [.ifNoneMatch: "W/\"x\""]).text == "new")
    }

    @Test("a 304 with contents, as a browser records an answer from its cache, is replayed as 200")
    func cached() async throws {
        let recording = try Recording.of(
            TestHAR.entry(url, status: 304, headers: tagged, body: "cached"), in: folder)
        let answer = try await recording.get(url)
        #expect(answer.status == 200 && answer.text == "cached")
        #expect(try await recording.get(url, [.ifNoneMatch: "W/\"x\""]).status == 304)
    }

    @Test("a 304 without contents answers only conditional requests")
    func notModified() async throws {
        let recording = try Recording.of(TestHAR.entry(url, status: 304, body: nil), in: folder)
        let error = await fault { try await recording.get(url) }
        #expect(error?.code == .notFound)
        #expect(
            error?.message
                == "entry 1 of the recording \"\(folder.path)/test.har\" has the status 304 without contents, "
                + "so it answers only conditional requests; record it again with an empty browser cache")
        #expect(try await recording.get(url, [.ifNoneMatch: "\"x\""]).status == 304)
    }

    @Test("a request that got no answer is left out")
    func aborted() async throws {
        let aborted = TestHAR.entry(url, status: 0, body: nil)
        let recording = try Recording.of(aborted, TestHAR.entry(url, body: "here"), aborted, in: folder)
        #expect(recording.entryCount == 1)
        for _ in 0..<2 { #expect(try await recording.get(url).text == "here") }
        let only = try Recording.open(folder.write(TestHAR.file(aborted), to: "only.har"))
        #expect(await fault { try await only.get(url) }?.code == .notFound)
        #expect(try Recording.firstHost(in: folder.path + "/only.har") { _, _ in true } == nil)
    }

    @Test(
        "an entry without an answer in any spelling is left out",
        arguments: [
            "", ", \"response\": null", ", \"response\": {\"status\": null}",
            ", \"response\": {\"status\": -1, \"headers\": [], \"content\": {\"size\": -1}}",
        ])
    func unanswered(_ response: String) async throws {
        let unanswered = "{\"request\": {\"method\": \"GET\", \"url\": \"\(url)\"}\(response)}"
        let recording = try Recording.of(unanswered, TestHAR.entry(url, body: "here"), in: folder)
        #expect(recording.entryCount == 1)
        #expect(try await recording.get(url).text == "here")
        let path = folder.path + "/test.har"
        let inspected = try Recording.inspecting(files: [path], name: path) { throw $1 }
        var problems: [String?] = []
        try inspected.forEachExchange { problems.append(inspected.problem(of: try $0.get())) }
        #expect(problems == ["got no answer when it was recorded, so it is not replayed", nil])
    }

    @Test("an answer that was recorded without its body is passed over if another one has it")
    func withoutBody() async throws {
        let bare = TestHAR.entry(url, body: nil, content: ", \"size\": 12")
        let recording = try Recording.of(
            bare, TestHAR.entry(url, body: "one"), bare, TestHAR.entry(url, body: "two"), bare, in: folder)
        for text in ["one", "two", "two"] { #expect(try await recording.get(url).text == text) }
    }

    @Test("a null in place of headers or contents, and values that are null or numbers, are tolerated")
    func nulls() async throws {
        let response = "{\"status\": 204, \"headers\": null, \"content\": null}"
        let fields =
            "{\"status\": 200, \"headers\": [{\"name\": \"X-Count\", \"value\": 12}, "
            + "{\"name\": \"X-None\", \"value\": null}], \"content\": {\"text\": \"here\"}}"
        let request = "{\"request\": {\"method\": \"GET\", \"url\": \"\(url)\"}, \"response\": "
        let recording = try Recording.of(request + response + "}", request + fields + "}", in: folder)
        #expect(try await recording.get(url).status == 204)
        let answer = try await recording.get(url)
        #expect(answer.text == "here")
        #expect(answer.head.headerFields[HTTPField.Name("X-Count")!] == "12")
        #expect(answer.head.headerFields[HTTPField.Name("X-None")!] == "")
    }

    @Test("credentials are removed from the addresses of next pages and redirects")
    func credentials() async throws {
        let next = "https://api.github.com/user/1/repos"
        let headers = [
            (
                "Link",
                "<\(next)?access_token=t0p&page=2&client_secret=s3c>; rel=\"next\", "
                    + "<\(next)?token=t0p>; rel=\"first\", <\(next){?page}>; rel=\"self\""
            ), ("location", "\(next)?page=3&client_id=c1&access_token=t0p#top"),
        ]
        let recording = try Recording.of(TestHAR.entry(url, status: 301, headers: headers), in: folder)
        let fields = try await recording.get(url).head.headerFields
        #expect(
            fields[HTTPField.Name("Link")!]
                == "<\(next)?page=2>; rel=\"next\", <\(next)>; rel=\"first\", <\(next){?page}>; rel=\"self\"")
        #expect(fields[.location] == "\(next)?page=3#top")
    }

    @Test("HEAD has no body")
    func head() async throws {
        let recording = try Recording.of(TestHAR.entry(url, method: "HEAD", body: "x"), in: folder)
        #expect(try await recording.send(HTTPRequest(url, method: .head), body: []).body.isEmpty)
    }

    @Test("the bundled sample returns its first page for any page size")
    func sample() async throws {
        let recording = try Recording.open(packageRoot + "/Recordings/sample.har")
        #expect(recording.hosts == ["api.github.example.org", "avatars.github.example.org"])
        let answer = try await recording.get("https://api.github.example.org/users?per_page=100")
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix("[{\"login\":\"Marlow-Quern\""))
        let missing = try await recording.get("https://api.github.example.org/users/nobody-at-quernwick")
        #expect(missing.status == 404)
    }
}

extension HTTPFields {
    fileprivate init(_ fields: [(HTTPField.Name, String)]) {
        self.init()
        for (name, value) in fields { self[name] = value }
    }
}
