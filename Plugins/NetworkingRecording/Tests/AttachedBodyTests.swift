import CPlatform
import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("bodies in files beside a recording")
struct AttachedBodyTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }
    private let url = "https://api.github.com/users"

    private func entry(_ name: String, method: String = "GET", postData: String = "") -> String {
        TestHAR.entry(
            url, method: method, body: nil, content: ", \"_file\": \(TestHAR.quoted(name))",
            postData: postData)
    }

    @Test("are read as they are, from the folder of the recording and those below it")
    func read() async throws {
        _ = folder.write([0xFF, 0, 1], to: "0a1b.bin")
        _ = folder.makeFolder("resources")
        _ = folder.write("[1]", to: "resources/2c.json")
        let files: [(String, [UInt8])] = [
            ("0a1b.bin", [0xFF, 0, 1]), ("resources/2c.json", Array("[1]".utf8)),
        ]
        for (name, body) in files {
            let har = folder.write(TestHAR.file(entry(name)), to: "\(body.count + name.count).har")
            #expect(try await Recording.open(har).get(url).body == body)
        }
    }

    @Test("a text in the recording is the body, if it is not empty")
    func text() async throws {
        _ = folder.write("file", to: "a.txt")
        let both = ", \"_file\": \"a.txt\""
        let recording = try Recording.of(
            TestHAR.entry(url, body: "text", content: both), TestHAR.entry(url, body: "", content: both),
            in: folder)
        #expect(try await recording.get(url).text == "text")
        #expect(try await recording.get(url).text == "file")
    }

    @Test("of requests take part in matching")
    func requests() async throws {
        _ = folder.write("{\"a\": 1}", to: "one.json")
        _ = folder.write("{\"a\": 2}", to: "two.json")
        let json = "\"mimeType\": \"application/json\", \"text\": \"\""
        let entries = ["one", "two"].map { (name: String) in
            TestHAR.entry(
                url, method: "POST", body: name, postData: "{\(json), \"_file\": \"\(name).json\"}")
        }
        let recording = try Recording.of(entries[0], entries[1], in: folder)
        #expect(try await recording.post(url, "{\"a\":2}", "application/json") == "two")
        #expect(try await recording.post(url, "{\"a\":1}", "application/json") == "one")
    }

    @Test("of requests that are missing fail only the request that needs them")
    func missingRequest() async throws {
        let recording = try Recording.of(
            entry("x", method: "POST", postData: "{\"_file\": \"none.json\"}"),
            TestHAR.entry(url, body: "get"),
            in: folder)
        #expect(try await recording.get(url).text == "get")
        let error = await fault { try await recording.post(url, "a=1") }
        #expect(error?.message.contains("has a request body in the file \"none.json\"") == true)
        #expect(recording.unreadable.map(\.number) == [1])
    }

    @Test("a missing file is a body that was not recorded, and is reported")
    func missing() async throws {
        let recording = try Recording.of(entry("none.json"), in: folder)
        let error = await fault { try await recording.get(url) }
        #expect(error?.code == .notFound)
        let words =
            "has a body in the file \"none.json\", which does not exist beside the recording; copy it there"
        #expect(error?.message.hasSuffix(words) == true)
        let path = folder.path + "/test.har"
        let inspected = try Recording.inspecting(files: [path], name: path) { throw $1 }
        try inspected.forEachExchange { exchange in
            let problem = inspected.problem(of: try exchange.get())
            #expect(problem == words)
        }
    }

    @Test(
        "outside of the recording's folder, or reached by a link, are not read",
        arguments: [
            "/etc/hostname", "../secret.txt", "inner/../../secret.txt", "./secret.txt", "inner//b.txt", "",
            "link.txt",
            "away/secret.txt", "inner", "inner/b.txt/",
        ])
    func refused(_ name: String) async throws {
        let inner = folder.makeFolder("har")
        _ = folder.write("secret", to: "secret.txt")
        _ = folder.makeFolder("har/inner")
        _ = folder.write("b", to: "har/inner/b.txt")
        let links = unsafe [
            symlink(folder.path + "/secret.txt", inner + "/link.txt"), symlink(folder.path, inner + "/away"),
        ]
        #expect(links == [0, 0])
        let path = folder.write(TestHAR.file(entry(name)), to: "har/test.har")
        let error = await fault { try await Recording.open(path).get(url) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasSuffix("is not read") == true, "\(error?.message ?? "")")
    }
}
