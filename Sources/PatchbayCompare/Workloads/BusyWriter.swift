import PatchbayCore
import PatchbayDomain
import Synchronization

/// Writes some rows again and again while others read.
final class BusyWriter: Sendable {
    private let store: Store
    private let population: Population
    private let items: [Item]
    private let isStopped = Atomic(false)

    /// How many rows a transaction saves.
    private static let rowsAtOnce = 20

    init(_ store: Store, _ items: [Item], of population: Population) {
        self.store = store
        self.items = items
        self.population = population
    }

    /// Writes while `body` runs.
    func writing<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        async let written: Void = run()
        do {
            let result = try await body()
            isStopped.store(true, ordering: .relaxed)
            try await written
            return result
        } catch {
            isStopped.store(true, ordering: .relaxed)
            // The first error is the one to tell.
            try? await written
            throw error
        }
    }

    /// Writes the rows as they were at first: how far the writing came then shows no more.
    func leaveAsItWas() async throws {
        let packings = try items.map { try population.packing($0) }
        try await store.write { try $0.put(packings) }
    }

    /// A storage that never waits, as one in memory, would keep its thread from the readers; so each write is followed
    /// by a yield.
    private func run() async throws {
        var number: Int64 = 0
        while !isStopped.load(ordering: .relaxed) {
            for start in stride(from: 0, to: items.count, by: BusyWriter.rowsAtOnce) {
                number += 1
                let change = (field: "followers", value: ItemValue.integer(number))
                let packings = try items[start...].prefix(BusyWriter.rowsAtOnce).map {
                    try population.packing($0, changing: change)
                }
                try await store.write { try $0.put(packings) }
                if isStopped.load(ordering: .relaxed) { return }
                await Task.yield()
            }
        }
    }
}
