import PatchbayCore
import PatchbayGateway

/// Answers the requests of a comparison about one subject, one after another.
final class BenchSession: BenchLink {
    private let plugins: ComparePlugins
    private var opened: Bench?
    private var workload: Workload?
    private var lastTurn: Turn?
    private var meter: Meter?
    /// The replies that the process has written, which the system counts as well.
    var replies = Writes()

    /// The rows in a part of a collection, when two collections are searched for their first difference.
    private static let partRows = 1_000

    init(_ plugins: ComparePlugins) { self.plugins = plugins }

    func send(_ request: BenchRequest) async -> BenchReply {
        do {
            return try await answer(request)
        } catch {
            let failure =
                error as? PatchbayError
                ?? PatchbayError(.internalError, "something unexpected failed", cause: error)
            let cause = failure.cause.map { ", because \($0)" } ?? ""
            return .failed(failure.code, failure.summary + cause)
        }
    }

    /// Removes the files, in whatever state the session is.
    func close() async {
        // The comparing process has ended, or already knows the error. It removes the parent folder as well.
        try? await end()
    }

    private func end() async throws {
        defer { opened = nil }
        try await opened?.end()
    }

    private func answer(_ request: BenchRequest) async throws -> BenchReply {
        switch request {
        case .setUp(let setup): opened = try await Bench(setup, plugins)
        case .prepare(let name, let rows): return try await prepare(try named(name), rows: rows)
        case .beginRound: try await beginRound()
        case .turn(let number): return try await turn(number)
        case .endRound: return .round(endRound())
        case .finish: return try await finish()
        case .digests(.lastTurn): return .digests(turnTaken.answers.digests)
        case .digests(.collection(let number)): return .digests(try await contents(number))
        case .rows(.lastTurn, let operation):
            let rows = turnTaken.answers.rows(ofOperation: operation)
            return .rows(query: turnTaken.query(operation), rows)
        case .rows(.collection(let number), let part): return try await contentRows(number, part)
        case .end: try await end()
        }
        return .done
    }

    private func prepare(_ workload: Workload, rows: Int) async throws -> BenchReply {
        self.workload = workload
        lastTurn = nil
        if workload.isLoad { try await bench.begin(rows: rows) }
        let engine = workload.isLoad ? try await bench.engineDescription() : nil
        return .prepared(engine: engine, refusal: bench.refusal(of: workload))
    }

    private func named(_ name: String) throws -> Workload {
        let resource = bench.resource
        let all = Workload.all(of: resource, from: bench.setup.copy?.origin)
        return try Workload.named(name, in: all, of: resource)
    }

    private func beginRound() async throws {
        if current.isLoad { try await bench.begin(rows: bench.rows) }
        meter = Meter(replies)
    }

    private func turn(_ number: Int) async throws -> BenchReply {
        // Frees the answers of the turn before outside the measured time.
        lastTurn = nil
        let turn = Turn(current, number: number, on: bench)
        try await current.turn(bench, turn)
        meter?.add(turn.timing)
        lastTurn = turn
        return .turn(
            nanoseconds: turn.timing.nanoseconds, digest: turn.answers.digest, isLast: turn.isLast)
    }

    private func endRound() -> Round {
        defer { meter = nil }
        return meter!.round(replies)
    }

    private func finish() async throws -> BenchReply {
        lastTurn = nil
        var digests: [UInt64] = []
        for collection in written {
            let rows = try await bench.store.storage.digest(of: collection)
            digests.append(UInt64(truncatingIfNeeded: rows.value))
        }
        return .finished(bytesOnDisk: try await bench.bytesOnDisk(), digest: digests.digest)
    }

    // Requests before this one have made these.
    private var bench: Bench { opened! }
    private var current: Workload { workload! }
    private var turnTaken: Turn { lastTurn! }

    // MARK: Differences between collections

    /// The collections in which all storages must have the same rows; a bare engine has only users.
    private var written: [CollectionSchema] {
        current.writes && bench.bare == nil ? bench.store.schema.transferable.collections : []
    }

    /// A digest of each part of a collection, in key order; none when there is no such collection.
    private func contents(_ number: Int) async throws -> [UInt64] {
        guard let collection = written.dropFirst(number).first else { return [] }
        var digests: [UInt64] = []
        try await walk(collection) { _, batch in
            var digest = ContentDigest(of: collection)
            for place in 0..<batch.count { digest.combine(batch.row(place)) }
            digests.append(UInt64(truncatingIfNeeded: digest.value))
        }
        return digests
    }

    /// The rows of a part and of the next one, because a row that one of two subjects lacks shifts the rows after it.
    private func contentRows(_ number: Int, _ part: Int) async throws -> BenchReply {
        guard let collection = written.dropFirst(number).first else { return .rows(query: "", []) }
        var rows: [TextRow] = []
        try await walk(collection, upTo: part + 1) { place, batch in
            if place >= part { rows += (0..<batch.count).map { TextRow(batch.row($0), collection) } }
        }
        return .rows(query: "all rows of \(collection.name)", rows)
    }

    /// Visits the parts of a collection in key order.
    private func walk(
        _ collection: CollectionSchema, upTo last: Int = .max, _ visit: (_ part: Int, RowBatch) -> Void
    ) async throws {
        var query: Query? = Query(collection), part = 0
        while let next = query, part <= last {
            let batch = try await bench.store.storage.batch(next, rowsMax: Self.partRows)
            visit(part, batch)
            query = batch.rest(of: next)
            part += 1
        }
    }
}
