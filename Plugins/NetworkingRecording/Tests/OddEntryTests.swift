import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("an entry that is not a HAR entry")
struct OddEntryTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }
    static let base = "https://api.github.com"
    static let users = base + "/users"
    static let odd = base + "/odd"

    static func entry(_ response: String, _ request: String = "") -> String {
        "{\"request\": {\"method\": \"GET\", \"url\": \"\(odd)\"\(request)}, \"response\": \(response)}"
    }

    /// Entries whose address can be read, with the fault of each.
    static let faulty: [(String, String)] = [
        (entry("{\"status\": \"error\"}"), "expected a whole number, found a string at byte "),
        (entry("{\"status\": {}}"), "expected a whole number, found an object at byte "),
        (entry("{\"status\": 1000}"), "has the response.status 1000, which is not an HTTP status"),
        (entry("{}"), "has no response.status"),
        (entry("[]"), "expected an object, found an array at byte "),
        (
            entry("{\"status\": 200, \"headers\": {\"a\": \"b\"}}"),
            "expected an array, found an object at byte "
        ),
        (entry("{\"status\": 200}", ", \"postData\": 7"), "expected an object, found a number at byte "),
        (entry("{\"status\": 200}", ", \"queryString\": [null]"), "expected an object, found null at byte "),
    ]

    @Test("fails only the request that needs it", arguments: OddEntryTests.faulty)
    func needed(_ entry: String, _ words: String) async throws {
        let recording = try Recording.of(TestHAR.entry(Self.users, body: "[1]"), entry, in: folder)
        #expect(try await recording.get(Self.users).text == "[1]")
        let error = await fault { try await recording.get(Self.odd) }
        #expect(error?.code == .invalidConfiguration)
        let message = try #require(error?.message)
        #expect(message.hasPrefix("entry 2 of the recording \"\(folder.path)/test.har\""))
        #expect(message.contains(words) && message.contains("at byte "), "\(message)")
        let host = try Recording.firstHost(in: folder.path) { _, _ in true }
        #expect(host == "api.github.com")
    }

    @Test("is passed over if another answer to its request can be replayed", arguments: OddEntryTests.faulty)
    func passedOver(_ entry: String, _: String) async throws {
        let good = TestHAR.entry(Self.odd, body: "good")
        for entries in [[entry, good], [good, entry]] {
            let path = folder.write(
                "{\"log\": {\"entries\": [\(entries.joined(separator: ","))]}}", to: "\(entries[0].count).har"
            )
            let recording = try Recording.open(path)
            #expect(recording.entryCount == (entry.contains("headers") ? 2 : 1))
            // What `headers` contains is known only when the answer is read.
            guard !entry.contains("headers") else { continue }
            for _ in 0..<3 { #expect(try await recording.get(Self.odd).text == "good") }
        }
    }

    @Test(
        "without an address leaves the others usable, and is counted where no answer is found",
        arguments: [
            ("null", "expected an object, found null"), ("7", "expected an object, found a number"),
            ("{}", "has no request.method"), ("{\"request\": null}", "expected an object, found null"),
            ("{\"request\": {\"method\": \"GET\"}}", "has no request.url"),
            ("{\"request\": {\"method\": 7}}", "expected a string, found a number"),
            ("{\"response\": {\"status\": \"error\"}}", "expected a whole number, found a string"),
        ])
    func unaddressed(_ entry: String, _ words: String) async throws {
        let recording = try Recording.of(
            entry, TestHAR.entry(Self.users, body: "[1]"), entry, in: folder)
        #expect(recording.entryCount == 1)
        #expect(try await recording.get(Self.users).text == "[1]")
        #expect(recording.unreadable.map(\.number) == [1, 3])
        let first = try #require(recording.unreadable.first)
        #expect(first.message.contains(words) && first.message.contains("at byte "), "\(first.message)")
        let error = await fault { try await recording.get(Self.odd) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("; 2 entries are unreadable, see \"recording check\")") == true)
    }

    @Test("is refused as part of a file that is not JSON")
    func malformed() async {
        let path = folder.write("{\"log\": {\"entries\": [{\"request\": {\"method\": 7, \"url\": 01}}]}}")
        let error = await fault { try Recording.open(path) }
        #expect(error?.message.contains("is not JSON") == true)
    }

    @Test("a negative status is that of a request without an answer", arguments: [-1, -999])
    func negative(_ status: Int) async throws {
        let recording = try Recording.of(
            TestHAR.entry(Self.odd, status: status), TestHAR.entry(Self.odd, body: "here"), in: folder)
        #expect(recording.entryCount == 1 && recording.unreadable.isEmpty)
        #expect(try await recording.get(Self.odd).text == "here")
    }

    @Test(
        "a body without text is empty only if a size says so and none contradicts",
        arguments: [
            ("\"size\": 0", "", true), ("\"size\": 0", ", \"bodySize\": 0", true),
            ("\"size\": 0", ", \"bodySize\": -1", true), ("\"size\": -1", ", \"bodySize\": 0", true),
            ("\"size\": 0", ", \"bodySize\": 400", false), ("\"size\": 400", ", \"bodySize\": 0", false),
            ("\"size\": -1", ", \"bodySize\": -1", false), ("\"mimeType\": \"\"", "", false),
        ])
    func lacking(_ size: String, _ bodySize: String, _ isEmpty: Bool) async throws {
        for text in ["", ", \"text\": null"] {
            let response = "{\"status\": 200, \"content\": {\(size)\(text)}\(bodySize)}"
            let path = folder.write(TestHAR.file(Self.entry(response)), to: "\(text.count).har")
            let recording = try Recording.open(path)
            if isEmpty {
                #expect(try await recording.get(Self.odd).body.isEmpty)
            } else {
                #expect(await fault { try await recording.get(Self.odd) }?.code == .notFound)
            }
            let inspected = try Recording.inspecting(files: [path], name: path) { throw $1 }
            try inspected.forEachExchange { exchange in
                let problem = inspected.problem(of: try exchange.get())
                #expect((problem == nil) == isEmpty)
            }
        }
    }
}
