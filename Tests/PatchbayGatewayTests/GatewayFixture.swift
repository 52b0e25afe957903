import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit

/// A gateway over memory, a scripted source and a clock that the test moves.
struct GatewayFixture {
    let source: ScriptedUserSource
    let clock = ManualClock()
    let gateway: Gateway

    init(_ ids: ClosedRange<Int64> = 1...50, pageSize: Int = 20) async throws {
        source = ScriptedUserSource(users: ScriptedUserSource.users(ids), pageSize: pageSize)
        gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "scripted", users: source), now: clock.now)
    }

    func list(
        after id: Int64 = 0, limit: Int = 20, _ policy: Policy = .localFirst
    ) async -> [Answer<ListUsers.Window>] {
        await gateway.listUsers(after: id, limit: limit, policy: policy).all
    }

    func show(_ login: String, _ policy: Policy = .localFirst) async -> [Answer<StoredUser>] {
        await gateway.showUser(login, policy: policy).all
    }
}

extension AsyncSequence where Failure == Never {
    var all: [Element] {
        get async {
            var elements: [Element] = []
            for await element in self { elements.append(element) }
            return elements
        }
    }
}

extension Outcome {
    /// The outcome as a word, to compare.
    var word: String {
        switch self {
        case .stored: "stored"
        case .localOnly: "local only"
        case .fresh: "fresh"
        case .unchanged: "unchanged"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}
