import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A source whose commits come when the test lets them, or not at all when the question is cancelled.
final class GatedCommitSource: CommitSource {
    private struct State {
        var gates: [String: AsyncStream<Void>.Continuation] = [:]
        var cancelled: [String] = []
    }

    private let source: ScriptedRepositorySource
    private let state = Mutex(State())
    private let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)

    init(_ source: ScriptedRepositorySource) { self.source = source }

    /// Which repositories are being asked about.
    var asked: [String] { state.withLock { $0.gates.keys.sorted() } }
    var cancelled: [String] { state.withLock { $0.cancelled.sorted() } }

    /// Waits for so many questions, and says about which repositories.
    func questions(_ count: Int) async -> [String] {
        var iterator = arrivals.makeAsyncIterator()
        var names: [String] = []
        while names.count < count, let name = await iterator.next() { names.append(name) }
        return names
    }

    func answer(_ name: String) {
        state.withLock { $0.gates.removeValue(forKey: name) }?.finish()
    }

    func commits(
        _ page: PageRequest<RepositoryName>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Commit>> {
        guard case .first(.named(_, let name)) = page else { return .unchanged }
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.gates[name] = opening }
        arrival.yield(name)
        for await _ in gate {}
        if Task.isCancelled {
            state.withLock { state in
                state.gates[name] = nil
                state.cancelled.append(name)
            }
            throw CancellationError()
        }
        return try await source.commits(page, ifChangedFrom: validator)
    }
}
