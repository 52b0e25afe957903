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

    @Test("keeps the promises of a source", arguments: SourceConformance.promises)
    func keeps(_ promise: SourcePromise) async throws {
        try await SourceConformance { source(server) }.check(promise)
    }

    @Test("fills a gateway, and a half answer is told as what it is")
    func gateway() async throws {
        let plan = FaultPlan<FailingNetworking.Operation>()
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: source(FailingNetworking(server, plan)),
            now: { Timestamp(milliseconds: 0) })
        plan.fail(.body, at: 2, with: PatchbayError(.offline, "cut"))
        guard case (.failed(let error), let progress) = await gateway.syncUsers().run() else {
            Issue.record("the half answer was taken for a whole one")
            return
        }
        #expect(error.code == .invalidResponse)
        #expect(progress.rows == 100)
        _ = await gateway.syncUsers().run()
        #expect(try await gateway.store.read { try $0.count(Query(StoredUser.collection)) } == 250)
        try await gateway.close()
    }

    @Test(
        "refuses what is no feed",
        arguments: ["", "{}", "[1]", #"[{"id":1}]"#, #"[{"id":2,"login":"a"},{"id":1,"login":"b"}]"#])
    func hostile(_ text: String) async throws {
        let users = FeedUsers(networking: FixedAnswer(text: text), baseURL: "https://feed.example.org")
        let error = await #expect(throws: PatchbayError.self) {
            try await users.users(.after(0), ifChangedFrom: Validator())
        }
        #expect(error?.code == .invalidResponse)
    }
}
