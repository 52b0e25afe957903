import FeedSource
import Patchbay
import PatchbayTestKit
import Testing

@Suite("The feed as a source")
struct FeedSourceTests {
    private let server = FeedServer(logins: (1...250).map { "user-\($0)" })

    private func source(_ networking: any Networking) -> Source {
        SourceAPI.feed.open(networking, "https://feed.example.org")
    }

    private func users() throws -> ListQuestion { ListQuestion(try BundledDefinition.feed.resource("users")) }

    @Test("keeps the promises of a feed", arguments: FeedConformance.promises)
    func keeps(_ promise: FeedPromise) async throws {
        try await FeedConformance(users()) { [server] in
            UserFeed(networking: server, baseURL: "https://feed.example.org")
        }.check(promise)
    }

    @Test("fills a gateway, and reports a truncated answer as an error")
    func gateway() async throws {
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: source(CuttingServer(server, request: 2)))
        let users = try gateway.resource("users"), question = try gateway.question(users)
        guard case (.failed(let error), let progress) = await gateway.sync(question).run() else {
            Issue.record("the truncated answer was accepted")
            return
        }
        #expect(error.code == .invalidResponse)
        #expect(progress.rows == 100)
        _ = await gateway.sync(question).run()
        #expect(try await gateway.store.read { try $0.count(Query(users.collection)) } == 250)
        try await gateway.close()
    }

    @Test(
        "refuses anything but a feed",
        arguments: [
            "", "{}", "[1]", #"[{"login":"a"}]"#, #"[{"id":2,"login":"a"},{"id":1,"login":"b"}]"#,
            #"[{"id":1,"login":"a\u0000"}]"#,
        ])
    func hostile(_ text: String) async throws {
        let feed = UserFeed(networking: FixedAnswer(text: text), baseURL: "https://feed.example.org")
        let request = ItemRequest(try users())
        let error = await #expect(throws: PatchbayError.self) {
            try await feed.page(request, ifChangedFrom: Validator())
        }
        #expect(error?.code == .invalidResponse)
    }
}
