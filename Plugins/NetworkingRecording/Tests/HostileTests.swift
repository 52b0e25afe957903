import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("a damaged recording")
struct HostileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }
    private let url = "https://api.github.com/users"

    private var text: String {
        TestHAR.file(
            TestHAR.entry(url, headers: [("ETag", "\"x\"")], body: "[{\"login\": \"\\u00e9\"}]"),
            TestHAR.entry(
                "https://slack.com/api/users.list", method: "POST", body: "AAEC",
                postData: "{\"text\": \"a=1\"}"))
    }

    @Test("truncated at any byte is refused with the name of the file")
    func cut() async {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            let path = folder.write(Array(bytes.prefix(count)), to: "\(count).har")
            let error = await fault { try Recording.open(path) }
            #expect(error?.code == .invalidConfiguration, "cut at \(count)")
            #expect(error?.message.contains("\(count).har") == true, "cut at \(count)")
        }
    }

    @Test("with any byte replaced opens or is refused, and answers or reports why not")
    func replaced() async throws {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for byte: UInt8 in [0, 0x22, 0x5C, 0x7D, 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] = byte
                let path = folder.write(damaged, to: "\(index)-\(byte).har")
                let error = await fault {
                    try await Recording.open(path).get(url)
                }
                #expect(
                    error == nil
                        || [.invalidConfiguration, .notFound, .invalidResponse].contains(error?.code))
            }
        }
    }
}
