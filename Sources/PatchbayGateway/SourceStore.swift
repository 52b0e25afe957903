import PatchbayCore
import PatchbayDomain

/// The store through which use cases save rows of a source. It accepts rows of only one server for each API.
///
/// The first write records the server of the source's word. Writes from a source with the same word but another server
/// fail and change nothing. Sources with different words have different collections, so they can share a storage.
struct SourceStore: Sendable {
    /// The store itself, for rows that do not come from a source.
    let inner: Store
    /// The API and the server that rows come from; nil for a source that never returns any.
    let claim: StoredAPI?
    /// The leases by which gateways with the same storage share requests; nil when each sends its own.
    let leases: Leases?

    init(_ store: Store, for source: Source, clock: LayerClock) {
        let isShared = source.sharesRequests && store.storage.features.contains(.sharedBetweenProcesses)
        self.init(
            store, claim: source.feed == nil ? nil : StoredAPI(source.word, server: source.server),
            leases: isShared ? Leases(store: store, clock: clock) : nil)
    }

    init(_ store: Store, claim: StoredAPI?, leases: Leases? = nil) {
        inner = store
        self.claim = claim
        self.leases = leases
    }

    func read<Result: Sendable>(
        _ body: @Sendable (borrowing Reading) throws -> Result
    ) async throws -> Result {
        try await inner.read(body)
    }

    /// Writes an answer of the source.
    ///
    /// - Throws: `conflict` when the stored rows come from another server.
    func write<Result: Sendable>(
        _ body: @Sendable (inout Writing) throws -> Result
    ) async throws -> Result {
        try await inner.write { [claim] writing in
            if let claim { try writing.claim(claim) }
            return try body(&writing)
        }
    }

    /// The result of a request.
    enum Requested<State: Sendable, Result: Sendable>: Sendable {
        case saved(Result)
        /// Another gateway saved the answer while this one waited for its turn.
        case savedByAnother(State)
    }

    /// Sends a request and saves its answer, unless another gateway that shares the storage does so at the same time.
    ///
    /// - Parameters:
    ///   - name: returns the name of the request, which is the same in all gateways that need the same rows of the same
    ///     source.
    ///   - look: reads the state that the request depends on, given the state from the beginning of the wait for
    ///     another gateway; nil when there was no wait.
    ///   - send: sends the request to the source.
    ///   - save: saves the answer.
    func request<State: Sendable, Answer: Sendable, Result: Sendable>(
        _ name: @Sendable (State) -> String,
        look: @Sendable (borrowing Reading, State?) throws -> Leases.Need<State>,
        send: (State) async throws -> Answer,
        save: @Sendable (Answer, State, inout Writing) throws -> Result
    ) async throws -> Requested<State, Result> {
        guard let leases else {
            switch try await read({ try look($0, nil) }) {
            case .nothing(let state): return .savedByAnother(state)
            case .request(let state):
                let answer = try await send(state)
                return .saved(try await write { try save(answer, state, &$0) })
            }
        }
        let (lease, state) = try await leases.turn(name, look)
        guard let lease else { return .savedByAnother(state) }
        do {
            let answer = try await leases.holding(lease) { try await send(state) }
            return .saved(
                try await write { writing in
                    let result = try save(answer, state, &writing)
                    try writing.end(lease)
                    return result
                })
        } catch {
            await leases.release(lease, after: error)
            throw error
        }
    }

    /// Checks, before a request is sent, that the source may write.
    ///
    /// - Throws: `conflict` when the stored rows come from another server.
    func check() async throws { try await checkedRead { _ in } }

    /// Reads, and checks in the same transaction that the source may write.
    ///
    /// - Throws: `conflict` when the stored rows come from another server.
    func checkedRead<Result: Sendable>(
        _ body: @Sendable (borrowing Reading) throws -> Result
    ) async throws -> Result {
        do {
            return try await inner.read { reading in
                if let claim { _ = try reading.requireClaim(claim) }
                return try body(reading)
            }
        } catch let error as PatchbayError where error.code == .conflict {
            // The path only completes the error message.
            let path = try? await inner.waiting { try await $0.describe().path }
            throw error.adding(path.map { [.note("storage", $0)] } ?? [])
        }
    }
}
