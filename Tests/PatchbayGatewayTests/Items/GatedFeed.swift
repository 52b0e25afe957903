import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A feed that returns changes when the test releases them, and throws when the request is cancelled.
final class GatedFeed: FeedWrapper {
    private struct State {
        var gates: [Int64: AsyncStream<Void>.Continuation] = [:]
        var cancelled: [Int64] = []
    }

    let inner: any ResourceFeed
    private let state = Mutex(State())
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Int64.self)

    init(_ feed: ScriptedFeed) { inner = feed }

    /// The projects whose gates are closed.
    var asked: [Int64] { state.withLock { $0.gates.keys.sorted() } }
    var cancelled: [Int64] { state.withLock { $0.cancelled.sorted() } }

    func open(_ project: Int64) { state.withLock { $0.gates.removeValue(forKey: project) }?.finish() }

    /// Waits for `count` requests and returns their projects.
    func projects(_ count: Int) async -> [Int64] {
        var iterator = arrivals.makeAsyncIterator(), projects: [Int64] = []
        while projects.count < count, let project = await iterator.next() { projects.append(project) }
        return projects
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        if let project = request.question.parent?.id { try await wait(for: project) }
        return try await inner.page(request, ifChangedFrom: validator)
    }

    private func wait(for project: Int64) async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.gates[project] = opening }
        arrival.yield(project)
        for await _ in gate {}
        guard Task.isCancelled else { return }
        state.withLock { state in
            state.gates[project] = nil
            state.cancelled.append(project)
        }
        throw CancellationError()
    }
}
