import PatchbayCore
import PatchbayDomain

/// The store as use cases write to it what a source returns: only rows of one server of each API.
///
/// The first write notes the server of the source's word; with a source of another server of that word every write
/// fails, and nothing is changed. Other words have other collections, so they share a storage.
struct SourceStore: Sendable {
    /// The store itself, for what does not come from a source.
    let inner: Store
    /// The API and the server that rows come from; nil for a source that never returns any.
    let claim: StoredAPI?
    /// How gateways that share the storage share requests; nil where each makes its own.
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

    /// Writes what the source returned.
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

    /// What became of a request.
    enum Requested<State: Sendable, Result: Sendable>: Sendable {
        case saved(Result)
        /// Another gateway saved the answer while this one waited for its turn.
        case savedByAnother(State)
    }

    /// Sends a request and saves its answer, unless another gateway that shares the storage does so at the same time.
    ///
    /// - Parameters:
    ///   - name: names the request; two gateways that want the same rows of the same source give it the same name.
    ///   - look: reads what the request depends on, given what was found when the wait for another gateway began; nil
    ///     when there was no wait.
    ///   - send: asks the source.
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
        switch try await leases.turn(name, look) {
        case .savedByAnother(let state): return .savedByAnother(state)
        case .mine(let lease, let state):
            do {
                let answer = try await leases.holding(lease) { try await send(state) }
                return .saved(
                    try await write { writing in
                        let result = try save(answer, state, &writing)
                        try writing.end(lease)
                        return result
                    })
            } catch {
                await leases.giveBack(lease)
                throw error
            }
        }
    }

    /// Checks that the source may write, before a request is sent.
    ///
    /// - Throws: `conflict` when the stored rows come from another server.
    func check() async throws {
        do {
            try await inner.read { reading in
                if let claim { _ = try reading.requireClaim(claim) }
            }
        } catch let error as PatchbayError where error.code == .conflict {
            // The error is true without the path, too.
            let path = try? await inner.storage.describe().path
            throw error.adding(path.map { ["storage": $0] } ?? [:])
        }
    }
}
