import PatchbayCore
import PatchbayDomain
import Synchronization

/// Ensures that of all gateways sharing a storage only one at a time requests the same rows. The gateways may be in
/// other processes or, if the storage is shared between machines, on other machines.
///
/// The requesting gateway puts a row into the collection `leases` and deletes it in the transaction that saves the
/// answer. The others wait, then find the rows stored. The lease of a dead process is taken over at once if it ran on
/// this machine, otherwise when the lease has not moved for ``patience``. The waiting gateway measures that with its
/// own clock, so clocks of different machines are never compared.
///
/// When a request fails, those of the same gateway that have waited for it fail with it instead of repeating it one
/// after another. A used-up limit is an exception, because one request may wait for it where another must not.
struct Leases: Sendable {
    /// The time after which a lease that has not moved is considered dead.
    static let patience = Duration.seconds(30)
    /// The interval at which a holder moves its lease.
    private static let beatInterval = Duration.seconds(8)
    private static let pauses: (first: Duration, longest: Duration) = (.milliseconds(10), .milliseconds(200))

    let store: Store
    let clock: LayerClock
    private let failures = LeaseFailures()

    /// Whether a request is still needed, given the stored state.
    enum Need<State: Sendable>: Sendable {
        case request(State)
        /// Another gateway saved the answer meanwhile.
        case nothing(State)
    }

    /// The result of one transaction.
    private enum Attempt<State: Sendable>: Sendable {
        case mine(StoredLease, State)
        case savedByAnother(State)
        case taken(by: StoredLease, State)
    }

    /// Waits until this gateway may send its request, or until another gateway has saved the answer.
    ///
    /// - Parameters:
    ///   - name: returns the name of the request for a state.
    ///   - look: reads the state, given the state from the beginning of the wait, if there was a wait.
    /// - Returns: the lease, nil when another gateway has saved the answer, and the state.
    func turn<State: Sendable>(
        _ name: @Sendable (State) -> String,
        _ look: @Sendable (borrowing Reading, State?) throws -> Need<State>
    ) async throws -> (lease: StoredLease?, State) {
        var first: State?, wait = Wait(clock: clock)
        while true {
            let before = first, dead = wait.dead
            switch try await store.write({ try attempt(name, look, before, dead, &$0) }) {
            case .mine(let lease, let state): return (lease, state)
            case .savedByAnother(let state): return (nil, state)
            case .taken(let lease, let state):
                first = first ?? state
                try await wait.watch(lease, in: store)
                if let error = failures.error(of: lease) { throw error }
            }
        }
    }

    /// Takes the lease unless another gateway holds it.
    private func attempt<State: Sendable>(
        _ name: @Sendable (State) -> String,
        _ look: @Sendable (borrowing Reading, State?) throws -> Need<State>, _ before: State?,
        _ dead: StoredLease?, _ writing: inout Writing
    ) throws -> Attempt<State> {
        let state: State
        switch try look(writing.reading, before) {
        case .request(let needed): state = needed
        case .nothing(let saved): return .savedByAnother(saved)
        }
        let name = name(state)
        if let held = try writing.reading.get(StoredLease.self, StoredLease.key(of: name)), held != dead,
            ProcessName(held.holder)?.hasEnded != true
        {
            return .taken(by: held, state)
        }
        let lease = StoredLease(
            name: name, holder: ProcessName.current.description,
            token: String(UInt64.random(in: 0 ... .max), radix: 16))
        try writing.put(lease)
        return .mine(lease, state)
    }

    /// Runs a request and moves its lease meanwhile.
    func holding<Answer: Sendable>(
        _ lease: StoredLease, _ request: () async throws -> Answer
    ) async throws -> Answer {
        async let _ = beat(lease)
        return try await request()
    }

    /// Returns when its task is cancelled, or when another gateway has the lease.
    private func beat(_ lease: StoredLease) async {
        var lease = lease
        // A beat that cannot be written is only missed by the others; the request continues.
        while (try? await clock.sleep(Self.beatInterval)) != nil {
            let moved = lease.moved
            let isMine = try? await store.write { writing in
                guard try writing.holds(moved) else { return false }
                try writing.put(moved)
                return true
            }
            if isMine == false { return }
            lease = moved
        }
    }

    /// Releases a lease after a failed request, even when the task is cancelled.
    func release(_ lease: StoredLease, after error: any Error) async {
        failures.add(error, of: lease)
        let store = store
        // If the lease cannot be deleted, others wait in vain, but no longer than `patience`.
        await Task { _ = try? await store.write { try $0.end(lease) } }.value
    }

    /// A wait for a lease that another gateway holds.
    private struct Wait {
        let clock: LayerClock
        /// A lease that has not moved for `patience`.
        private(set) var dead: StoredLease?
        private var watched: (lease: StoredLease, since: Duration)?
        private var pause = Leases.pauses.first

        init(clock: LayerClock) { self.clock = clock }

        /// Returns when a lease has ended or changed hands, or when its holder is considered dead.
        mutating func watch(_ lease: StoredLease, in store: Store) async throws {
            var seen = lease
            while true {
                if watched?.lease != seen { watched = (seen, clock.uptime()) }
                if let watched, clock.uptime() - watched.since >= Leases.patience {
                    dead = seen
                    return
                }
                try await clock.sleep(pause)
                pause = min(pause * 2, Leases.pauses.longest)
                let name = seen.name
                let found = try await store.read { try $0.get(StoredLease.self, StoredLease.key(of: name)) }
                guard let found, found.token == seen.token, ProcessName(found.holder)?.hasEnded != true else {
                    return
                }
                seen = found
            }
        }
    }
}

/// The newest failures of one gateway's requests.
private final class LeaseFailures: Sendable {
    private static let countMax = 64

    private let errors = Mutex<[(token: String, error: PatchbayError)]>([])

    /// Adds a failure, unless it says nothing about the requests of others.
    func add(_ error: any Error, of lease: StoredLease) {
        guard let error = error as? PatchbayError, ![.cancelled, .rateLimited].contains(error.code) else {
            return
        }
        errors.withLock { $0 = Array($0.suffix(Self.countMax - 1)) + [(lease.token, error)] }
    }

    func error(of lease: StoredLease) -> PatchbayError? {
        errors.withLock { $0.last { $0.token == lease.token }?.error }
    }
}

extension StoredLease {
    fileprivate var moved: StoredLease {
        var moved = self
        moved.beat &+= 1
        return moved
    }
}

extension Writing {
    /// Whether the stored lease is still this holder's.
    fileprivate func holds(_ lease: StoredLease) throws -> Bool {
        try reading.get(StoredLease.self, StoredLease.key(of: lease.name))?.token == lease.token
    }

    /// Deletes a lease unless another gateway has taken it over.
    mutating func end(_ lease: StoredLease) throws {
        if try holds(lease) { try delete(StoredLease.self, StoredLease.key(of: lease.name)) }
    }
}
