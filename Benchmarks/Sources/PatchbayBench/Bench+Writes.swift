import PatchbayCore

extension Bench {
    func toggle(_ store: Store) async throws -> Measurement {
        try await writes(rowsEach: 1) { number, _ in
            let key = Key.integer(self.rows.id(number))
            return {
                try await store.write { writing in
                    guard var user = try writing.reading.get(BenchUser.self, key) else {
                        throw Fault("no row \(key)")
                    }
                    user.isFavourite.toggle()
                    try writing.put(user)
                }
            }
        }
    }

    func save(_ store: Store) async throws -> Measurement {
        try await writes(rowsEach: Self.savedRows) { number, turn in
            let users = self.refreshed(from: number, turn)
            return { try await self.save(users, in: store) }
        }
    }

    private static let savedRows: UInt64 = 20

    /// A page as a source would tell it anew.
    private func refreshed(from number: UInt64, _ turn: UInt64) -> [BenchUser] {
        (number..<(number + Self.savedRows)).map {
            var user = rows.user($0)
            user.fetchedAt += Int64(turn)
            user.followers += 1
            return user
        }
    }

    /// Writes rows that are known, keeping what belongs to the owner of the store.
    private func save(_ users: [BenchUser], in store: Store) async throws {
        try await store.write { writing in
            for var user in users {
                let stored = try writing.reading.get(BenchUser.self, .integer(user.id))
                if let stored { user.isFavourite = stored.isFavourite }
                try writing.put(user)
            }
        }
    }

    /// Repeated writes; making the rows does not count.
    ///
    /// - Parameter prepare: makes the write number so and so of rows from a random place on.
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

    /// One task that gets rows by id, beside one that saves pages without a pause.
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
            let users = refreshed(from: random.below(options.rows - Self.savedRows + 1), times.count)
            let start = nanoseconds()
            try await save(users, in: store)
            times.add(nanoseconds() - start)
        }
        return (times, Double(nanoseconds() - begin) / 1e9)
    }
}
