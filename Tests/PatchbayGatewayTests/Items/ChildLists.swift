import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

@testable import PatchbayGateway

/// The lists of children behind a gateway: they are returned at once, or when the test opens their gate.
final class ChildLists: Sendable {
    private struct State {
        /// How many children each parent has.
        var counts: [Int64: Int] = [:]
        var stored: [Int64: (list: ItemList, fetchedAt: Timestamp)] = [:]
        var requests: [String] = []
        var failure: PatchbayError?
        var gates: [Int64: AsyncStream<Void>.Continuation] = [:]
        var cancelled: [Int64] = []
    }

    private let state = Mutex(State())
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Int64.self)
    private let isGated: Bool
    private let notes: Resource
    private let gateway: Gateway

    init(_ gateway: Gateway, isGated: Bool = false) throws {
        self.gateway = gateway
        self.isGated = isGated
        notes = try gateway.resource("notes")
    }

    /// `notes of 1`, with `if changed` when they were stored. Those that were cancelled do not count.
    var requests: [String] { state.withLock { $0.requests } }
    /// The parents whose gates are closed.
    var asked: [Int64] { state.withLock { $0.gates.keys.sorted() } }
    var cancelled: [Int64] { state.withLock { $0.cancelled.sorted() } }

    func setCount(_ count: Int, of parent: Int64) { state.withLock { $0.counts[parent] = count } }
    func fail(with error: PatchbayError?) { state.withLock { $0.failure = error } }
    func open(_ parent: Int64) { state.withLock { $0.gates.removeValue(forKey: parent) }?.finish() }

    /// Waits for the given number of requests and returns their parents.
    func parents(_ count: Int) async -> [Int64] {
        var iterator = arrivals.makeAsyncIterator(), parents: [Int64] = []
        while parents.count < count, let parent = await iterator.next() { parents.append(parent) }
        return parents
    }

    func visible(_ policy: Policy = .localFirst, concurrency: Int = 1) -> VisibleChildren {
        VisibleChildren(of: notes, policy, atMost: concurrency) { parent, policy in
            self.answers(parent.id, policy)
        }
    }

    private func answers(_ parent: Int64, _ policy: Policy) -> Answers<ItemList> {
        LocalFirst(store: gateway.sourceStore, policy: policy, now: gateway.now, served: gateway.served) {
            self.state.withLock { $0.stored[parent] }.map { .init(value: $0.list, fetchedAt: $0.fetchedAt) }
                ?? .init()
        } refresh: { _ in
            if self.isGated { try await self.wait(parent) }
            let list = try self.list(parent), time = self.gateway.now()
            self.state.withLock { $0.stored[parent] = (list, time) }
            return (.init(value: list, fetchedAt: time), hasChanged: true)
        }.answers()
    }

    private func list(_ parent: Int64) throws -> ItemList {
        let count = try state.withLock { state in
            state.requests.append("notes of \(parent)" + (state.stored[parent] == nil ? "" : " if changed"))
            if let failure = state.failure { throw failure }
            return state.counts[parent] ?? 3
        }
        let items = try (0..<count).map {
            try Item(encoding: Note(person: parent, text: "note \($0)"), of: notes)
        }
        return ItemList(items, .endOfSource)
    }

    private func wait(_ parent: Int64) async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.gates[parent] = opening }
        arrival.yield(parent)
        for await _ in gate {}
        guard Task.isCancelled else { return }
        state.withLock { state in
            state.gates[parent] = nil
            state.cancelled.append(parent)
        }
        throw CancellationError()
    }
}
