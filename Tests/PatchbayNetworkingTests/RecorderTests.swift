import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Testing

@Suite("Recorder")
struct RecorderTests {
    private let clock = ManualClock(jumps: true)
    let directory: TemporaryDirectory
    var path: String { directory.path + "/test.har" }

    init() throws { directory = try TemporaryDirectory() }

    private func recorder(isAdding: Bool = false) throws -> Recorder {
        try Recorder(path: path, isAdding: isAdding, clock: clock.layerClock)
    }

    private static let bodies: [[UInt8]] = [
        Array(#"[{"login":"octocat","bio":"\u2028 \"quoted\" \\ \n é 🐙"}]"#.utf8), [], [0, 1, 2, 255, 254],
        Array("\u{1b}[31mred\u{2028}'; DROP TABLE users; --".utf8), [UInt8](repeating: 0xFF, count: 100),
        Array(repeating: UInt8(ascii: "x"), count: 20_000),
    ]

    @Test("a replay returns recorded exchanges unchanged: status, fields and bodies of any bytes")
    func replay() async throws {
        let network = ScriptedNetworking { request, _, number in
            var response = Response.status(
                200,
                [
                    "ETag": "W/\"\(number)\"",
                    "Link": "<https://api.example.org/x?since=\(number)>; rel=\"next\"",
                ])
            response.body = Self.bodies[number % Self.bodies.count]
            return response
        }
        let networking = network.layered(try recorder())
        for number in 0..<20 { _ = try await networking.get("/users?since=\(number)") }
        let recording = try Recording.open(path)
        #expect(recording.entryCount == 20)
        for number in 0..<20 {
            let response = try await recording.get("/users?since=\(number)")
            #expect(response.body == Self.bodies[number % Self.bodies.count], "\(number)")
            #expect(response.head.headerFields[.eTag] == "W/\"\(number)\"")
        }
    }

    @Test("every status is recorded, but not an exchange without an answer")
    func statuses() async throws {
        let network = ScriptedNetworking { request, _, number in
            if number == 3 { throw PatchbayError(.offline, "no route") }
            return .status([200, 304, 404, 0, 301][number], ["Location": "https://api.example.org/new"])
        }
        let networking = network.layered(try recorder())
        for number in 0..<5 { _ = try? await networking.get("/\(number)") }
        let recording = try Recording.open(path)
        #expect(recording.entryCount == 4)
        #expect(try await recording.get("/2").head.status.code == 404)
        #expect(try await recording.get("/4").head.headerFields[.location] == "https://api.example.org/new")
    }

    @Test("no secret is written to the file, in any place or spelling")
    func secrets() async throws {
        let token = "f00dfeed-5ecr3t+z/"
        let base64 = "ZjAwZGZlZWQtNWVjcjN0K3ov"
        let echoed = #"{"you":"\#(token)","b":"\#(base64)","c":"ghp_abcdefghijklmnopqrst0123456789abcdefgh"}"#
        let network = ScriptedNetworking(
            .status(
                200,
                [
                    "Set-Cookie": "session=c00kie", "Location": "https://x.org/?token=l0cation",
                    "Link": "<https://x.org/?page=2&access_token=l1nk>; rel=\"next\"",
                    "X-Echo": "got \(token)",
                ], echoed))
        let networking = network.layered(Redaction(KnownSecrets()), try recorder())
        var request = HTTPRequest.get("/a?b=1&client_secret=qu3ry", token: token)
        request.headerFields[.cookie] = "a=c00kie"
        request.headerFields[HTTPField.Name("X-GitHub-OTP")!] = "0tp123"
        request.headerFields[HTTPField.Name("X-Figma-Token")!] = "f1eld"
        _ = try await networking.send(request, body: [])
        _ = try await networking.get("/without-token")
        var post = HTTPRequest.get("/form")
        post.method = .post
        post.headerFields[.contentType] = "application/x-www-form-urlencoded"
        _ = try await networking.send(post, body: Array("token=f0rm&limit=5".utf8))
        var upload = post
        upload.headerFields[.contentType] = "multipart/form-data; boundary=b"
        let part = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"
        _ = try await networking.send(upload, body: Array("\(part)p4rt\r\n--b--".utf8))
        let text = try String(decoding: bytes(), as: UTF8.self)
        for secret in [
            "f1eld", "p4rt", token, "f00dfeed", base64, "ghp_", "c00kie", "l0cation", "l1nk", "qu3ry",
            "0tp123", "f0rm",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
        let recording = try Recording.open(path)
        let answer = try await recording.get("/a?client_secret=another&b=1")
        #expect(
            answer.body == Array(#"{"you":"REDACTED","b":"REDACTED","c":"REDACTED"}"#.utf8))
        #expect(try await recording.send(post, body: Array("limit=5&token=y".utf8)).head.status.code == 200)
        let other = Array("\(part)other\r\n--b--".utf8)
        let replayed = try await recording.layered(CleanedRequests()).send(upload, body: other)
        #expect(replayed.head.status.code == 200)
    }

    @Test("the file is complete after each exchange")
    func whole() async throws {
        let networking = ScriptedNetworking(.status(200, [:], "[]")).layered(try recorder())
        for count in 1...30 {
            _ = try await networking.get("/\(count)")
            #expect(try Recording.open(path).entryCount == count)
        }
    }

    @Test("a new recording replaces the old file at the first exchange")
    func anew() async throws {
        let networking = ScriptedNetworking(.status(200)).layered(try recorder())
        for number in 0..<3 { _ = try await networking.get("/\(number)") }
        try await TemporaryDirectory.with { other in
            let path = other.path + "/b.har"
            try write(bytes(), to: path)
            let again = try Recorder(path: path, isAdding: false, clock: clock.layerClock)
            #expect(try Recording.open(path).entryCount == 3)
            _ = try await ScriptedNetworking(.status(200)).layered(again).get("/x")
            _ = try await ScriptedNetworking(.status(200)).layered(again).get("/y")
            #expect(try Recording.open(path).entryCount == 2)
        }
    }

    @Test(
        "entries are added to any HAR, and the text around them stays",
        arguments: [
            #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}"#,
            "\u{FEFF}{\"a\":[\"entries\",{\"entries\":[1]}],\n \"log\" : {\"pages\":[{\"entries\":[]}], "
                + "\"entries\" : [ ] , \"z\":\"]}\\\"\" } }\n\n",
            #"{"log":{"entries":[{"request":{"method":"GET","url":"https://api.example.org/old"},"#
                + #""response":{"status":200,"headers":[],"content":{"text":"]}"}}}],"#
                + #""comment":"entries","_x":{"log":{}}}}"#,
        ])
    func adds(_ har: String) async throws {
        try write(Array(har.utf8), to: path)
        let before = try Recording.open(path).entryCount
        let networking = ScriptedNetworking(.status(200, [:], "[]")).layered(try recorder(isAdding: true))
        #expect(try bytes() == Array(har.utf8))
        for number in 1...3 {
            _ = try await networking.get("/\(number)")
            #expect(try Recording.open(path).entryCount == before + number)
        }
        let text = try String(decoding: bytes(), as: UTF8.self)
        let end = har.suffix(har.hasSuffix("\n\n") ? 20 : 3)
        #expect(text.hasSuffix(end))
    }

    @Test(
        "a file that is not HAR stays unchanged",
        arguments: ["", "{}", "[1]", #"{"log":{"entries":[1"#, #"{"log":{"entries":{}}}"#])
    func noHAR(_ text: String) throws {
        try write(Array(text.utf8), to: path)
        let error = #expect(throws: PatchbayError.self) { try recorder(isAdding: true) }
        #expect(error?.code == .invalidConfiguration)
        #expect(try bytes() == Array(text.utf8))
    }

    @Test("recorded requests are not sent again, and missing ones are added to the file")
    func missing() async throws {
        let first = ScriptedNetworking(.status(200, [:], "first"))
        do {
            let networking = first.layered(try recorder())
            _ = try await networking.get("/a")
        }
        let log = RequestLog(clock: clock.layerClock)
        let network = ScriptedNetworking(.status(200, [:], "second"))
        let recording = try Recording.open(path, isGrowing: true)
        let networking = network.layered(
            try recorder(isAdding: true), RecordedFirst(recording, repeatsPosts: false, log: log))
        for _ in 0..<2 {
            #expect(try await networking.get("/a").body == Array("first".utf8))
            #expect(try await networking.get("/b").body == Array("second".utf8))
        }
        #expect(network.paths == ["/b", "/b"])
        #expect(log.counts.recorded == 2)
        let whole = try Recording.open(path)
        #expect(whole.entryCount == 3)
        #expect(try await whole.get("/b").body == Array("second".utf8))
    }

    @Test("a second recorder of a file is refused until the first is closed")
    func busy() async throws {
        var first: Recorder? = try recorder()
        _ = try await ScriptedNetworking(.status(200)).layered(first!).get("/a")
        for isAdding in [false, true] {
            let error = #expect(throws: PatchbayError.self) { try recorder(isAdding: isAdding) }
            #expect(error?.code == .busy)
        }
        first = nil
        _ = try await ScriptedNetworking(.status(200)).layered(try recorder(isAdding: true)).get("/b")
        #expect(try Recording.open(path).entryCount == 2)
        #expect(names() == ["test.har"])
    }

    @Test("a recorder continues after a second one was refused")
    func hasMore() async throws {
        let networking = ScriptedNetworking(.status(200)).layered(try recorder())
        for number in 0..<5 {
            _ = try await networking.get("/\(number)")
            #expect(throws: PatchbayError.self) { try recorder(isAdding: true) }
        }
        #expect(try Recording.open(path).entryCount == 5)
    }

    @Test("a missing folder is reported, with what to do")
    func noFolder() {
        let error = #expect(throws: PatchbayError.self) {
            try Recorder(path: directory.path + "/none/x.har", isAdding: false, clock: clock.layerClock)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("create the folder") == true)
    }

    @Test("a new file is private to its owner, and an existing one keeps its permissions")
    func permissions() async throws {
        _ = try await ScriptedNetworking(.status(200)).layered(try recorder()).get("/a")
        #expect(mode() == 0o600)
        setMode(0o640)
        let again = ScriptedNetworking(.status(200)).layered(try recorder(isAdding: true))
        for number in 0..<3 {
            _ = try await again.get("/\(number)")
            #expect(mode() == 0o640)
        }
    }

    @Test("a link, a pipe or a folder in the recording's place is named", arguments: [false, true])
    func obstacles(_ isAdding: Bool) throws {
        for (kind, words) in [
            (Obstacle.symbolicLink, "is a symbolic link"), (.pipe, "is a named pipe"),
            (.folder, "is a folder"),
        ] {
            try make(kind)
            let before = names()
            let error = #expect(throws: PatchbayError.self) { try recorder(isAdding: isAdding) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(names() == before && text(of: "victim") == "precious")
            removeRecording()
        }
    }

    @Test("a file with two names is replaced under one of them and never written to")
    func hardLink() async throws {
        _ = try await ScriptedNetworking(.status(200)).layered(try recorder()).get("/a")
        let before = try bytes()
        try linkRecording(as: "other.har")
        let networking = ScriptedNetworking(.status(200)).layered(try recorder(isAdding: true))
        for number in 0..<4 { _ = try await networking.get("/\(number)") }
        #expect(try Recording.open(path).entryCount == 5)
        #expect(text(of: "other.har") == String(decoding: before, as: UTF8.self))
    }

    @Test("files of similar names are neither taken over nor removed", arguments: [false, true])
    func similarNames(_ isLinked: Bool) async throws {
        let others = [".next", ".previous", ".patchbay-x", ".patchbay-0123456789abcdeg"].map {
            "test.har" + $0
        }
        for name in others {
            if isLinked {
                try linkVictim(as: name)
            } else {
                try write(Array("mine".utf8), to: directory.path + "/" + name)
            }
        }
        do {
            let networking = ScriptedNetworking(.status(200)).layered(try recorder())
            for number in 0..<3 { _ = try await networking.get("/\(number)") }
        }
        for name in others { #expect(text(of: name) == (isLinked ? "precious" : "mine")) }
        #expect(Set(names()) == Set(others + ["test.har"] + (isLinked ? ["victim"] : [])))
        #expect(mode() == 0o600)
    }

    @Test("leftovers of a killed recorder are removed, but not a link with such a name")
    func leftovers() async throws {
        let leftover = directory.path + "/test.har.patchbay-0123456789abcdef"
        try write(Array("{\"log\"".utf8), to: leftover)
        try linkVictim(as: "test.har.patchbay-fedcba9876543210")
        _ = try await ScriptedNetworking(.status(200)).layered(try recorder()).get("/a")
        #expect(text(of: "victim") == "precious")
        #expect(text(of: "test.har.patchbay-0123456789abcdef") == nil)
        #expect(names() == ["test.har", "test.har.patchbay-fedcba9876543210", "victim"])
    }

    @Test("exchanges that end at the same time are all recorded")
    func concurrent() async throws {
        let networking = ScriptedNetworking(.status(200, [:], "[]")).layered(try recorder())
        try await withThrowingTaskGroup { group in
            for number in 0..<200 { group.addTask { _ = try await networking.get("/\(number)") } }
            try await group.waitForAll()
        }
        #expect(try Recording.open(path).entryCount == 200)
    }
}
