import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("opening a recording")
struct OpeningTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }
    private let users = "https://api.github.com/users"

    @Test("a file has a name, a count, and hosts with the most frequent first")
    func file() throws {
        let path = folder.write(
            TestHAR.file(
                TestHAR.entry("https://slack.com/api/users.list"), TestHAR.entry(users),
                TestHAR.entry("https://API.github.com:443/users?since=1")))
        let recording = try Recording.open(path)
        #expect(recording.name == "test.har")
        #expect(recording.entryCount == 3)
        #expect(recording.hosts == ["api.github.com", "slack.com"])
    }

    @Test("the first wanted host is found, and the rest is not read")
    func firstHost() throws {
        let whole = TestHAR.file(
            TestHAR.entry("https://slack.com/api/users.list"), TestHAR.entry(users), TestHAR.entry(users))
        let path = folder.write(String(whole.dropLast(40)))
        var asked: [String] = []
        let host = try Recording.firstHost(in: path) { host, _ in
            asked.append(host)
            return host.hasSuffix("github.com")
        }
        #expect(host == "api.github.com" && asked == ["slack.com", "api.github.com"])
        #expect(throws: PatchbayError.self) { try Recording.firstHost(in: path) { _, _ in false } }
        let other = folder.write(whole, to: "whole.har")
        let none = try Recording.firstHost(in: other) { _, _ in false }
        #expect(none == nil)
    }

    @Test("a folder reads its *.har files, in any case, in order of their names")
    func folderOfFiles() async throws {
        _ = folder.write(TestHAR.file(TestHAR.entry(users, body: "second")), to: "b.HAR")
        _ = folder.write(TestHAR.file(TestHAR.entry(users, body: "first")), to: "a.har")
        _ = folder.write("no recording", to: "readme.txt")
        _ = folder.write("hidden", to: ".c.har")
        let recording = try Recording.open(folder.path)
        #expect(recording.entryCount == 2)
        #expect(try await recording.get(users).text == "first")
        #expect(try await recording.get(users).text == "second")
    }

    @Test("any order of members, any white space, any version and unknown members are accepted")
    func anyShape() async throws {
        let text = """
            \u{FEFF}\r\n\t{ "before" : [ {"log": {}} , "]}" ] ,
              "log" : { "pages":[{"entries":[1]}], "entries":[
                { "response":{"content":{"text":"hello","size":5},"headers":[],"status":200},"_x":"\\"}]",
                  "request":{"url":"\(users)","method":"GET"} } ],
                "version":"9.9","comment":"{[" } , "after" : null }
            """
        let recording = try Recording.open(folder.write(text))
        #expect(recording.entryCount == 1)
        #expect(try await recording.get(users).text == "hello")
    }

    @Test("an invalid recording gives one sentence with file and position", arguments: OpeningTests.faults)
    func refused(_ text: String, _ sentence: String) async throws {
        let path = folder.write(text)
        let error = await fault { try Recording.open(path) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.replacing(folder.path + "/", with: "") == sentence)
    }

    private static let cut = "the file is truncated, save it again"

    static let faults: [(String, String)] = [
        (
            "",
            "the recording \"test.har\" ends too early, at byte 0; " + cut
        ),
        ("hello", "the recording \"test.har\" is not JSON: expected a value, found 'h' at byte 0"),
        ("{\"log\" 1}", "the recording \"test.har\" is not JSON: expected ':' at byte 7"),
        (
            "{\"log\": {}} x",
            "the recording \"test.har\" is not JSON: expected the end of the text at byte 12"
        ),
        (
            "{\"log\": {\"a\": 1 \"b\": 2}}",
            "the recording \"test.har\" is not JSON: expected ',' at byte 16"
        ),
        (
            "{\"x\": [1, 02]}",
            "the recording \"test.har\" is not JSON: a number starts with a zero at byte 10"
        ),
        ("[1, 2]", "the recording \"test.har\" is JSON but not a HAR: it has no log.entries"),
        ("{\"log\": 5}", "the recording \"test.har\" is JSON but not a HAR: it has no log.entries"),
        (
            "{\"log\": {\"entries\": {}}}",
            "the recording \"test.har\" is JSON but not a HAR: it has no log.entries"
        ),
        (
            "{\"log\": {\"pages\": []}}",
            "the recording \"test.har\" is JSON but not a HAR: it has no log.entries"
        ),
        (
            "{\"log\": {\"entries\": [",
            "the recording \"test.har\" ends too early, at byte 21; " + cut
        ),
        (
            "{\"log\": {\"entries\": [\(TestHAR.entry("https://a.b/")), {\"request\": {\"me",
            "the recording \"test.har\" ends in the middle of entry 2, at byte 287; " + cut
        ),
        (
            TestHAR.file("{\"request\": {\"method\": \"\\x\"}}"),
            "the recording \"test.har\" is not JSON: a string contains an unknown escape at byte 63"
        ),
        (
            "PK\u{3}\u{4}\u{14}",
            "the recording \"test.har\" is a ZIP archive; unpack all of it, and name the HAR file in it"
        ),
        ("{\0\"\0", "the recording \"test.har\" is text in UTF-16; save it in UTF-8"),
    ]

    @Test("a file compressed with gzip, and one in UTF-16, say so")
    func otherFormats() async {
        let files: [([UInt8], String)] = [
            ([0x1F, 0x8B, 8], "is compressed with gzip; decompress it, and name the result"),
            ([0xFF, 0xFE, 0x7B, 0], "is text in UTF-16; save it in UTF-8"),
            ([0xFE, 0xFF, 0, 0x7B], "is text in UTF-16; save it in UTF-8"),
        ]
        for (start, words) in files {
            let path = folder.write(start, to: "\(start[0]).har")
            let error = await fault { try Recording.open(path) }
            #expect(error?.message == "the recording \"\(path)\" \(words)")
        }
    }

    @Test("a missing file, a folder without recordings and a path that is not a file are reported")
    func missing() async {
        let missing = await fault { try Recording.open(folder.path + "/none.har") }
        #expect(missing?.code == .invalidConfiguration)
        #expect(
            missing?.message
                == "the recording \"\(folder.path)/none.har\" does not exist; name a HAR file, or a folder of HAR files"
        )
        let empty = await fault { try Recording.open(folder.path) }
        #expect(
            empty?.message == "the folder \"\(folder.path)\" contains no *.har files; name another folder")
        let device = await fault { try Recording.open("/dev/null") }
        #expect(device?.message == "the recording \"/dev/null\" is not a file; name a HAR file")
    }

    @Test("a file that changes or disappears after opening is reported")
    func changed() async throws {
        let recording = try Recording.of(TestHAR.entry(users), in: folder)
        _ = folder.write(" ")
        let changed = await fault { try await recording.get(users) }
        #expect(changed?.code == .invalidConfiguration)
        #expect(changed?.message.contains("changed on disk after it was opened") == true)
    }
}
