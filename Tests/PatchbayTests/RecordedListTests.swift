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
        try folder.write(
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

    private static func address(_ query: String) -> String { "https://books.example.org/v1/authors?\(query)" }

    private static func entry(_ query: String, _ body: String, as account: String? = nil) -> String {
        TestHAR.entry(
            address(query), body: body, sent: account.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    /// The handles of the listed rows, after which the storage has been closed.
    private func handles(_ entries: String...) async throws -> [String] {
        try folder.write(TestHAR.file(entries), to: "books.har")
        try folder.write(
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
        try folder.write(
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

    @Test("pages of two accounts are not joined")
    func accounts() async throws {
        let first = #"{"data":[{"id":1}],"next":"\#(Self.address("after=1"))"}"#,
            second = #"{"data":[{"id":2}]}"#
        let own = try await handles(
            Self.entry("", first, as: "ada"), Self.entry("after=1", second, as: "ada"))
        #expect(own == ["1", "2"])
        let error = await #expect(throws: PatchbayError.self) {
            try await handles(Self.entry("", first, as: "ada"), Self.entry("after=1", second, as: "bob"))
        }
        #expect(error?.isNotRecorded == true)
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

    /// A recording of two lists of repositories and of the changes of some, by the paths of the requests.
    private func changes(of repository: String, _ bodies: [String: String]) async throws -> ItemList? {
        try folder.write(
            """
            api = forge
            base-url = https://forge.example.org
            repos.noun = repository repositories
            repos.path = /users/{owner}/repos
            repos.path.public = /repos
            repos.next = url next
            repos.rows = data
            repos.key = id
            repos.handle = name OWNER/NAME
            repos.show = /repos/{handle}
            repos.field.id = integer
            repos.field.name = text
            repos.detail.size = integer
            changes.path = /changes/{repos.id}
            changes.next = none
            changes.key = repo sha
            changes.field.repo = integer {repos.id}
            changes.field.sha = text

            """, to: "forge.conf")
        let entries = bodies.map { TestHAR.entry("https://forge.example.org\($0)", body: $1) }
        try folder.write(TestHAR.file(entries), to: "forge.har")
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(
                [
                    "source": "recorded", "source.path": "\(folder.path)/forge.har",
                    "source.definition": "\(folder.path)/forge.conf", "storage": "memory",
                ]))
        let question = try gateway.question(gateway.resource("changes"), arguments: [repository])
        let answer = await gateway.list(question, policy: .remoteFirst).ending
        let (end, _) = await gateway.sync(question).run()
        let stored = await gateway.list(question, policy: .localOnly).ending.value
        try await gateway.close()
        if case .failed(let error) = answer.outcome {
            if case .failed(let other) = end {
                #expect(other.message == error.message)
            } else {
                Issue.record("\(end)")
            }
            throw error
        }
        return stored
    }

    @Test(
        "the row that a list belongs to is found in a recorded list of such rows",
        arguments: [
            ["/users/ada/repos": #"{"data":[{"id":7,"name":"ada/engine"}],"next":null}"#],
            [
                "/repos":
                    #"{"data":[{"id":1,"name":"x/y"},{"id":7,"name":"ada/engine"}],"next":"/repos?page=2"}"#
            ],
            ["/repos/ada/engine": #"{"id":7,"name":"ada/engine","size":1}"#],
        ])
    func parentInList(_ bodies: [String: String]) async throws {
        let listed = try await changes(
            of: "ada/engine",
            bodies.merging(["/changes/7": #"[{"sha":"a"},{"sha":"b"}]"#]) { $1 })
        #expect(listed?.items.compactMap { $0.text("sha") } == ["a", "b"])
        #expect(
            listed?.parent?.state.detailFetchedAt != nil || bodies.keys.contains { !$0.hasSuffix("engine") })
    }

    @Test("a list without the row that it belongs to names what the recording lacks")
    func parentMissing() async throws {
        let error = await #expect(throws: PatchbayError.self) {
            try await changes(
                of: "ada/engine",
                [
                    "/users/ada/repos": #"{"data":[{"id":8,"name":"ada/other"}],"next":null}"#,
                    "/changes/7": #"[{"sha":"a"}]"#,
                ])
        }
        #expect(
            error?.message.hasPrefix(
                "the list belongs to the repository \"ada/engine\", which the recording contains neither alone nor "
                    + "in a list of repositories: the recording \"forge.har\" does not contain an answer to GET "
                    + "https://forge.example.org/repos/ada/engine;") == true, "\(error?.message ?? "")")
        #expect(error?.isNotRecorded == true)
    }
}
