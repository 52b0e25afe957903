import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageLMDB

@Suite("Waiting for a reader")
struct ReaderPoolTests {
    @Test("the first to wait is the first to read")
    func order() async throws {
        try await withPool { pool in
            let held = try await pool.take()
            let (numbers, number) = AsyncStream.makeStream(of: Int.self)
            for place in 1...3 {
                Task {
                    let reader = try await pool.take()
                    number.yield(place)
                    pool.giveBack(reader)
                }
                while pool.waiterCount < place {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            pool.giveBack(held)
            var seen: [Int] = []
            for await place in numbers.prefix(3) { seen.append(place) }
            #expect(seen == [1, 2, 3])
        }
    }

    @Test("a cancelled wait ends at once and leaves the line")
    func cancellation() async throws {
        try await withPool { pool in
            let held = try await pool.take()
            let waiting = Task { pool.giveBack(try await pool.take()) }
            while pool.waiterCount < 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(pool.waiterCount == 0)
            pool.giveBack(held)
            pool.giveBack(try await pool.take())
        }
    }

    private func withPool(_ body: (ReaderPool) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let environment = try Environment(path: directory.path, flags: 0, bytesMax: 1 << 20, busyTimeoutMilliseconds: 0)
            defer { environment.close() }
            let pool = ReaderPool(environment, Tables([]), limit: 1)
            try await body(pool)
            await pool.drain()
        }
    }
}
