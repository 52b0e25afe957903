import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A sync that people watch: a bar while it goes on, one line at its end.
struct SyncRun {
    let gateway: Gateway
    let sync: Sync
    /// The resource whose details may be fetched.
    let resource: Resource?
    /// What lines begin with where there are several sources.
    var prefix = ""

    /// The most rows whose refusal is told one by one.
    static let skippedLinesMax = 10

    /// - Throws: the error that ended it.
    func run() async throws {
        if case .failed(let error) = try await ended().end { throw error }
    }

    /// Runs it to its end, and reports everything but the error that ended it.
    func ended() async throws -> (end: SyncEnd, progress: SyncProgress) {
        var skipped = 0
        var details = DetailCount()
        for await event in sync {
            switch event {
            case .saved(let progress):
                if let resource { await details.update(progress, resource, gateway) }
                await show(details.shown(progress), progress)
            case .skipped(let what, let error):
                skipped += 1
                if skipped <= Self.skippedLinesMax {
                    Message.write("\(prefix)skipped \(what): \(error.line)")
                }
                if skipped == Self.skippedLinesMax {
                    Message.write("\(prefix)what else is skipped is only counted")
                }
            case .ended(let end, let progress):
                Message.note(prefix + SyncOutput.line(end, progress, requests: sent(progress)))
                return (end, progress)
            }
        }
        return (.interrupted, SyncProgress())
    }

    private func show(_ shown: WorkProgress, _ progress: SyncProgress) async {
        let left = await gateway.source.budget?()?.remaining
        ProgressBar.errors.show(
            shown, note: SyncOutput.note(progress, requests: sent(progress), budgetLeft: left))
    }

    /// The requests that went out, attempts and hops included; what the sync asked for where nobody counts them.
    private func sent(_ progress: SyncProgress) -> Int {
        gateway.source.requests?().sent ?? progress.requests
    }
}

/// How many details there are to fetch, for a bar that knows its end.
private struct DetailCount {
    private var rowsBefore: Int64?
    private var total: Int?

    /// Counts when the list is done and the details begin.
    mutating func update(_ progress: SyncProgress, _ resource: Resource, _ gateway: Gateway) async {
        guard progress.list.hasPrefix("details of "), rowsBefore == nil else { return }
        rowsBefore = progress.rows
        // Without a count the bar has no end; what is wrong with the storage the sync itself will tell.
        total = try? await gateway.store.read { reading in
            var count = 0
            try reading.scan(Query(resource.collection)) { row in
                count += ItemState.lacksDetail(row) ? 1 : 0
                return .next
            }
            return count
        }
    }

    func shown(_ progress: SyncProgress) -> WorkProgress {
        guard let rowsBefore else {
            return WorkProgress(
                progress.list, done: progress.pageCount == nil ? Int(progress.rows) : Int(progress.pages),
                of: progress.pageCount.map { Int(clamping: $0) })
        }
        return WorkProgress(progress.list, done: Int(progress.rows - rowsBefore), of: total)
    }
}
