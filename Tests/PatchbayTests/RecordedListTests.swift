import Foundation
import PatchbayCore
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Testing

@Suite("A list in a recording by another program")
struct RecordedListTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try write(
            """
            api = books
            base-url = https://books.example.org/v1
            error = error
            error.text = error
            error.rate-limited = slow-down
            authors.path = /authors
            authors.rows = data
            authors.next = url next
            authors.key = id
            authors.field.id = integer
            """, to: "books.conf")
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }

    private static func address(_ query: String) -> String { "https://books.example.org/v1/authors?\(query)" }

    private static func entry(_ query: String, _ body: String) -> String {
        """
        {"startedDateTime":"2026-10-01T10:00:00.000Z","time":1,
         "request":{"method":"GET","url":"\(address(query))","headers":[]},
         "response":{"status":200,"statusText":"OK","headers":[],
                     "content":{"mimeType":"application/json","text":"\(body.replacing("\"", with: "\\\""))"}}}
        """
    }

    /// The handles of the listed rows, after which the storage has been closed.
    private func handles(_ entries: String...) async throws -> [String] {
        try write("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}", to: "books.har")
        try write(
            """
            source = recorded
            source.path = books.har
            source.definition = books.conf
            storage = sqlite
            storage.path = stored.sqlite
            """, to: "recorded.conf")
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(
                file: folder.path + "/recorded.conf", environment: ["HOME": folder.path]))
        let answer = try await gateway.list("authors", limit: 10).ending
        try await gateway.close()
        if case .failed(let error) = answer.outcome { throw error }
        return answer.value?.items.map(\.handle) ?? []
    }

    @Test(
        "the first page may have been recorded with its number, and pages with another size",
        arguments: [
            ("page p", "p=1&size=2", "p=2&size=2"), ("page p 0", "p=0&size=2", "p=1&size=2"),
            ("offset start", "start=0&size=2", "start=2&size=2"),
            ("cursor page next", "page=&size=2", "page=2&size=2"),
            ("cursor * on", "size=2", "on=-%7C%7C&size=2&from=B%20C"),
        ])
    func firstPage(_ next: String, _ first: String, _ second: String) async throws {
        try write(
            """
            api = books
            base-url = https://books.example.org/v1
            authors.path = /authors?size=100
            authors.rows = data
            authors.next = \(next)
            authors.end = not more
            authors.key = id
            authors.field.id = integer
            """, to: "books.conf")
        let listed = try await handles(
            Self.entry(
                first, #"{"data":[{"id":1},{"id":2}],"more":true,"next":2,"on":{"from":"B C","on":"-||"}}"#),
            Self.entry(second, #"{"data":[{"id":3}],"more":false}"#))
        #expect(listed == ["1", "2", "3"])
    }

    @Test("the address of the next page is stored without its key")
    func secrets() async throws {
        let key = "sXXMm0PX4ZCpsBAKZCz", next = Self.address("api_key=\(key)&after=1")
        let last = Self.address("after=2&api_key=\(key)")
        let listed = try await handles(
            Self.entry("api_key=\(key)", #"{"data":[{"id":1}],"next":"\#(next)"}"#),
            Self.entry("api_key=\(key)&after=1", #"{"data":[{"id":2}],"next":"\#(last)"}"#),
            Self.entry("api_key=\(key)&after=2", #"{"data":[{"id":3}]}"#))
        #expect(listed == ["1", "2", "3"])
        var stored = ""
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("stored") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            stored += String(decoding: bytes, as: UTF8.self)
        }
        #expect(stored.contains("authors?after=2&api_key=REDACTED-\(TokenFingerprint(key))"))
        #expect(!stored.contains(key))
    }

    @Test("pages whose cursor is called a token remain distinct")
    func cursors() async throws {
        let listed = try await handles(
            Self.entry("token=n0", #"{"data":[{"id":1}],"next":"\#(Self.address("token=n1"))"}"#),
            Self.entry("token=n1", #"{"data":[{"id":2}],"next":"\#(Self.address("token=n2"))"}"#),
            Self.entry("token=n2", #"{"data":[{"id":3}]}"#))
        #expect(listed == ["1", "2", "3"])
    }

    @Test("a rate limit with the status 200 is followed by the next recorded attempt")
    func rateLimit() async throws {
        let refusal = Self.entry("after=1", #"{"error":"slow-down"}"#)
        let listed = try await handles(
            Self.entry("", #"{"data":[{"id":1}],"next":"\#(Self.address("after=1"))"}"#),
            refusal, refusal, Self.entry("after=1", #"{"data":[{"id":2}]}"#))
        #expect(listed == ["1", "2"])
    }

    @Test("a rate limit that no other attempt follows is the result")
    func lastRateLimit() async throws {
        let error = await #expect(throws: PatchbayError.self) {
            try await handles(Self.entry("", #"{"error":"slow-down"}"#))
        }
        #expect(error?.code == .rateLimited)
    }
}
