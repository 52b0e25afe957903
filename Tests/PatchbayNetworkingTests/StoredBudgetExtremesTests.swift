import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayNetworking

/// Budgets and paces in a storage may have any value.
@Suite("Stored budgets and paces with extreme values")
struct StoredBudgetExtremesTests {
    private static let integers: [Int64] = [
        .min, .min + 1, -1, 0, 1, 1_000, 253_402_300_800_000, .max - 1, .max,
    ]
    private static let texts = [
        "", "x", "a b c d", "0 0 0 0", "- - 99999999999 -", String(repeating: "x", count: 9_000),
    ]
    private let now = Timestamp("2026-11-23T12:00:00Z")!
    private let name = StoredBudget.Name(
        HTTPRequest(method: .get, scheme: "https", authority: "api.example.org", path: "/"), resource: "core")

    /// Returns the record after its row was stored and read again.
    private func read<R: StoredRecord>(_ record: R) throws -> R {
        var builder = RowBuilder()
        builder.begin(R.collection)
        record.write(to: &builder)
        return try R(builder.finish())
    }

    private func budget(_ change: (inout StoredBudget) -> Void) throws -> StoredBudget {
        var budget = StoredBudget(
            origin: name.origin, token: "", resource: "core", limit: 60, remaining: 10,
            resetsAt: now.advanced(by: .seconds(600)))
        change(&budget)
        return try read(budget)
    }

    @Test("a budget whose first request nobody sends is found out again")
    func abandoned() throws {
        for prober in Self.texts {
            let row = try budget {
                ($0.limit, $0.remaining, $0.isEstimate, $0.prober) = (0, 0, true, prober)
                $0.resetsAt = Timestamp(milliseconds: .max)
            }
            var account = BudgetAccount(name: name, row: row)
            let grant = account.settle(BudgetEntry(now: now))
            guard case .requests(1, _, isFirst: true) = grant else {
                Issue.record("\(prober): \(String(describing: grant))")
                continue
            }
        }
    }

    @Test("any number can be settled, and nobody waits longer than a day")
    func numbers() throws {
        for number in Self.integers {
            let rows = try [
                budget { $0.limit = number }, budget { $0.remaining = number },
                budget { $0.resetsAt = Timestamp(milliseconds: number) },
                budget { ($0.remaining, $0.resetsAt) = (0, Timestamp(milliseconds: number)) },
            ]
            for row in rows {
                var account = BudgetAccount(name: name, row: row)
                _ = account.settle(
                    BudgetEntry(
                        news: .budget(limit: 60, remaining: 5, resetsAt: now.advanced(by: .seconds(9))),
                        unused: (3, now), now: now))
                account = BudgetAccount(name: name, row: row)
                if case .usedUp(_, let until) = account.settle(BudgetEntry(now: now)) {
                    #expect(now.age(at: until) <= .seconds(86_400))
                }
            }
        }
    }

    @Test("any text can be read as the turns of a pace")
    func turns() {
        let words = Self.integers.map(String.init) + Self.texts
        for first in words {
            for second in words {
                let turns = PaceTurns("\(first) \(second) \(first) \(second)")
                let limit = Pacing.Limit(requests: 60, period: .seconds(3_600))
                #expect(now.age(at: turns.next(under: limit, from: now)) <= .seconds(3 * 86_400))
            }
        }
    }
}
