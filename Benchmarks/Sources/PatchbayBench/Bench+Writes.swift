import PatchbayCore
import PatchbayDomain

extension Bench {
    func toggle(_ store: Store) async throws -> Measurement {
        try await writes(rowsEach: 1) { number, _ in
            let key = Key.integer(self.rows.id(number))
            return {
                try await store.write { writing in
                    guard let item = try writing.reading.item(key) else { throw Fault("no row \(key)") }
                    let isFavourite = item[BenchRows.favourite] == .boolean(true)
                    var builder = ItemBuilder()
                    builder.begin(BenchRows.resource)
                    builder.set(BenchRows.resource.key[0], item[BenchRows.resource.key[0]])
                    builder.set(BenchRows.favourite, isFavourite ? 0 : 1 as Int64)
                    try writing.save(
                        [try builder.finish()], over: { _ in item }, in: BenchRows.resource.collection)
                }
            }
        }
    }

    func save(_ store: Store) async throws -> Measurement {
        try await writes(rowsEach: Self.savedRows) { number, turn in
            let items = self.refreshed(from: number, turn)
            return { try await self.save(items, in: store) }
        }
    }

    private static let savedRows: UInt64 = 20

    /// A page as the source would return it later.
    private func refreshed(from number: UInt64, _ turn: UInt64) -> [Item] {
        (number..<(number + Self.savedRows)).map { rows.item($0, refreshed: Int64(turn)) }
    }

    /// Writes existing rows, keeping the fields that belong to the user of the store.
    private func save(_ items: [Item], in store: Store) async throws {
        try await store.write { writing in
            for item in items {
                let stored = try writing.reading.item(item.key)
                try writing.save([item], over: { _ in stored }, in: BenchRows.resource.collection)
            }
        }
    }

    /// Measures repeated writes, without generating their rows.
    ///
    /// - Parameter prepare: returns write number `turn`, of rows from a random `number` on.
    private func writes(
        rowsEach: UInt64, _ prepare: (_ number: UInt64, _ turn: UInt64) -> (() async throws -> Void)
    ) async throws -> Measurement {
        ProcessUsage.resetPeak()
        var times = Histogram()
        var random = RandomNumbers(seed: options.seed + 3)
        while times.sum < UInt64(options.seconds * 1e9) {
            let write = prepare(random.below(options.rows - rowsEach + 1), times.count)
            let start = nanoseconds()
            try await write()
            times.add(nanoseconds() - start)
        }
        return Measurement(
            operations: times.count, rows: times.count * rowsEach, seconds: Double(times.sum) / 1e9,
            times: times)
    }

    /// Measures gets by id in one task while another task saves pages without a pause.
    func mixed(_ store: Store) async throws -> Measurement {
        ProcessUsage.resetPeak()
        let writer = Task.detached { try await self.writeUntilCancelled(store) }
        var measurement: Measurement
        do {
            measurement = try await reads(
                .getID, store, nanoseconds: UInt64(options.seconds * 1e9), seed: options.seed + 1_000)
        } catch {
            writer.cancel()
            throw error
        }
        writer.cancel()
        (measurement.writerTimes, measurement.writerSeconds) = try await writer.value
        return measurement
    }

    private func writeUntilCancelled(_ store: Store) async throws -> (Histogram, Double) {
        var times = Histogram()
        var random = RandomNumbers(seed: options.seed + 9)
        let begin = nanoseconds()
        while !Task.isCancelled {
            let items = refreshed(from: random.below(options.rows - Self.savedRows + 1), times.count)
            let start = nanoseconds()
            try await save(items, in: store)
            times.add(nanoseconds() - start)
        }
        return (times, Double(nanoseconds() - begin) / 1e9)
    }
}
