import PatchbayCore
import PatchbayDomain
import Synchronization

/// Writes some rows repeatedly while others read.
final class BusyWriter: Sendable {
    private let store: Store
    private let population: Population
    private let items: [Item]
    private let isStopped = Atomic(false)

    /// The number of rows per transaction.
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
        let result: Result
        do {
            // An error of the body is the only one that is reported.
            defer { isStopped.store(true, ordering: .relaxed) }
            result = try await body()
        }
        try await written
        return result
    }

    /// Restores the rows, so that their content does not depend on how many writes there were.
    func leaveAsItWas() async throws {
        let rows = try items.map { try population.packed($0) }
        try await store.write { try $0.put(rows) }
    }

    /// Writes until it is stopped. It yields after each write, because a storage that never waits, such as one in
    /// memory, would block the readers' thread.
    private func run() async throws {
        for number in 0... {
            if isStopped.load(ordering: .relaxed) { return }
            let start = number * BusyWriter.rowsAtOnce % items.count
            let rows = try items[start...].prefix(BusyWriter.rowsAtOnce).map {
                try population.packed($0, changedTo: "change \(number)")
            }
            try await store.write { try $0.put(rows) }
            await Task.yield()
        }
    }
}
