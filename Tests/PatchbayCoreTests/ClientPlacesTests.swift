import Synchronization
import Testing

@testable import PatchbayCore

@Suite("Places are shared among clients", .timeLimit(.minutes(5)))
struct ClientPlacesTests {
    /// Requests that hang until they are released, and the clients of those that have begun.
    private final class Hanging: Sendable {
        let begun = Mutex<[ServingClient?]>([])
        let places = ClientPlaces(8)
        private let (stream, end) = AsyncStream.makeStream(of: Void.self)

        func count(_ client: ServingClient?) -> Int { begun.withLock { $0.count { $0 == client } } }

        /// Starts requests of a client and returns their tasks.
        func start(_ count: Int, _ client: ServingClient?) -> [Task<Void, any Error>] {
            (0..<count).map { _ in
                Task.immediate {
                    try await ServingClient.$current.withValue(client) {
                        try await self.places.withPlace {
                            self.begun.withLock { $0.append(client) }
                            for await _ in self.stream { return }
                        }
                    }
                }
            }
        }

        func release() { end.finish() }
    }

    @Test("hanging requests of strangers leave places for others, and the owner never waits")
    func shares() async throws {
        let hanging = Hanging(), stranger = ServingClient.address("192.0.2.1")
        var tasks = hanging.start(8, stranger)
        #expect(hanging.count(stranger) == 6, "three quarters")
        tasks += hanging.start(3, .tokenBearer)
        #expect(hanging.count(.tokenBearer) == 1, "clients over TCP get seven eighths together")
        tasks += hanging.start(9, .owner) + hanging.start(1, nil)
        #expect(hanging.count(.owner) == 9 && hanging.count(nil) == 1)
        hanging.release()
        for task in tasks { try await task.value }
        #expect(hanging.count(stranger) == 8 && hanging.count(.tokenBearer) == 3, "those that waited follow")
    }

    @Test("a cancelled request stops waiting and takes no place")
    func cancelled() async throws {
        let hanging = Hanging(), stranger = ServingClient.address("192.0.2.1")
        let running = hanging.start(6, stranger), waiting = hanging.start(2, stranger)
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        hanging.release()
        for task in running + waiting.dropFirst() { try await task.value }
        #expect(hanging.count(stranger) == 7)
        let later = hanging.start(6, stranger)
        for task in later { try await task.value }
        #expect(hanging.count(stranger) == 13, "all places are free again")
    }
}
