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

@Suite("Concurrent clients (Live)", .timeLimit(.minutes(5)))
struct FairnessTests {
    /// Records the thread of each answer, and delays the one for `/5`.
    private final class Watch: Responder {
        let hasReadyAnswers: Bool
        let answers = Mutex<[(path: String, thread: UInt)]>([])
        let begun = AsyncStream.makeStream(of: Void.self)
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
            answers.withLock { $0.append((path, UInt(pthread_self()))) }
            guard path == "/5" else { return }
            begun.continuation.yield()
            released.wait()
        }
    }

    @Test(
        "a client that pipelines many requests does not keep others waiting",
        arguments: [false, true])
    func pipelining(hasReadyAnswers: Bool) async throws {
        let watch = Watch(hasReadyAnswers: hasReadyAnswers)
        try await TestedServer.with(watch) { (server) async throws in
            let greedy = try server.client()
            // Connections are spread over at most four threads, so some share one.
            let others = try (1...8).map { _ in try server.client() }
            for other in others {
                await other.send(server.request("/hello", []))
                _ = await other.until("done")
            }
            await greedy.send((1...400).map { server.request("/\($0)", []) }.joined())
            for await _ in watch.begun.stream { break }
            for other in others { await other.send(server.request("/other")) }
            watch.released.signal()
            for other in others { #expect(await other.untilClosed().statuses == [200]) }
            for _ in 1...400 { _ = await greedy.until("done") }
            let answers = watch.answers.withLock { $0 }
            let last = try #require(answers.firstIndex { $0.path == "/400" })
            let beside = answers.indices.filter {
                answers[$0].path == "/other" && answers[$0].thread == answers[last].thread
            }
            #expect(!beside.isEmpty)
            #expect(beside.allSatisfy { $0 < last }, "\(answers.map(\.path))")
        }
    }
}
#endif
