#if Live
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Dispatch
import HTTPTypes
import PatchbayCore
import Synchronization
import Testing

@Suite("Concurrent clients (Live)", .timeLimit(.minutes(10)))
struct FairnessTests {
    /// Records the thread of each answer, and delays the first one for `/50`.
    private final class Watch: Responder {
        let hasReadyAnswers: Bool
        let answers = Mutex<[(path: String, thread: UInt)]>([])
        let begun = AsyncStream.makeStream(of: UInt.self)
        private let hasBegun = Atomic(false)
        let released = DispatchSemaphore(value: 0)

        init(hasReadyAnswers: Bool) { self.hasReadyAnswers = hasReadyAnswers }

        func reply(to request: ServerRequest) -> ServerReply {
            hasReadyAnswers ? .ready(answer(request)) : .later { self.answer(request) }
        }

        private func answer(_ request: ServerRequest) -> ServerResponse {
            note(request.head.path ?? "")
            return ServerResponse(head: HTTPResponse(status: .ok), body: .whole(Array("done".utf8)))
        }

        private func note(_ path: String) {
            let thread = UInt(pthread_self())
            answers.withLock { $0.append((path, thread)) }
            guard path == "/50", !hasBegun.exchange(true, ordering: .relaxed) else { return }
            begun.continuation.yield(thread)
            released.wait()
        }
    }

    @Test(
        "clients that pipeline many requests do not keep others waiting",
        arguments: [false, true], [1, 12])
    func pipelining(hasReadyAnswers: Bool, clients: Int) async throws {
        let watch = Watch(hasReadyAnswers: hasReadyAnswers)
        try await TestedServer.with(watch) { (server) async throws in
            let greedy = try (1...clients).map { _ in try server.client() }
            // Connections are spread over at most four threads, so some share one.
            let others = try (1...8).map { _ in try server.client() }
            for other in others {
                await other.send(server.request("/hello", []))
                _ = await other.until("done")
            }
            let requests = (1...100).map { server.request("/\($0)", []) }.joined()
            for client in greedy { await client.send(requests) }
            let thread = try #require(await watch.begun.stream.first { _ in true })
            for other in others { await other.send(server.request("/other")) }
            watch.released.signal()
            for other in others { #expect(await other.untilClosed().statuses == [200]) }
            for client in greedy {
                for _ in 1...100 { _ = await client.until("done") }
            }
            let paths = watch.answers.withLock { $0.filter { $0.thread == thread }.map(\.path) }
            let last = try #require(paths.lastIndex { $0 != "/other" })
            #expect(paths.contains("/other"))
            #expect(paths[last...].allSatisfy { $0 != "/other" }, "\(paths)")
        }
    }
}
#endif
