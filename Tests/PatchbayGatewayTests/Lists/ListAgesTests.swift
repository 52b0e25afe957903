import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("The ages of lists")
struct ListAgesTests {
    @Test("a list that lacks rows still does when a later sync of it has failed")
    func failedSync() async throws {
        let fixture = try await ResourceFixture(), gateway = fixture.gateway
        let syncs = [
            { try gateway.sync("people", from: .theBeginning) },
            { try gateway.sync("projects", "octocat", from: .theBeginning) },
        ]
        for sync in syncs { _ = await (try sync()).run() }
        try await gateway.store.write { writing in
            let reason = Shortfall(.keys, "1 of 20 rows has no id").stored
            for var run in try writing.reading.list(StoredListRun.self, Query(StoredListRun.collection)) {
                run.incomplete = reason
                try writing.put(run)
            }
        }
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        // The second sync that fails must remember what the first one did.
        for sync in syncs + syncs {
            let (end, _) = await (try sync()).run()
            guard case .failed = end else {
                Issue.record("\(end)")
                continue
            }
        }
        for name in ["people", "projects"] {
            let resource = try gateway.resource(name)
            let ages = try await gateway.store.read { try $0.listAges(of: resource) }
            #expect(ages.finished == 1 && ages.partial == 1, "\(name): \(ages)")
        }
    }
}
