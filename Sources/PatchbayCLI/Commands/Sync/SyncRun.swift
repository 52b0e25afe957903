import Patchbay
import PatchbayTerminal

/// A sync with output for people: a progress bar while it runs, and one line at its end.
struct SyncRun {
    let gateway: Gateway
    let sync: Sync
    /// The resource whose details may be fetched.
    let resource: Resource?
    /// The prefix of lines when there are several sources.
    var prefix = ""
    /// How to resume the sync.
    var resumption = SyncOutput.resumption()

    /// The maximum number of skipped items that are reported one by one.
    static let skippedLinesMax = 10

    /// - Throws: the error that ended the sync.
    @discardableResult
    func run() async throws -> SyncProgress {
        let (end, progress) = try await ended()
        switch end {
        case .failed(let error): throw error
        case .incomplete: throw ExitStatus.incomplete
        case .complete, .interrupted, .limitReached: return progress
        }
    }

    /// Runs the sync to its end and reports everything except the error that ended it.
    func ended() async throws -> (end: SyncEnd, progress: SyncProgress) {
        var skipped = 0, incomplete = 0, unrecorded: [String] = []
        var details = DetailCount()
        var notes: Set<String> = []
        for await event in sync {
            switch event {
            case .saved(let progress):
                if let resource { await details.update(progress, resource, gateway) }
                await show(details.shown(progress), progress)
            case .skipped(let what, let error) where error.isNotRecorded:
                // A recording seldom contains every list of every row, so these are not worth a line each.
                unrecorded.append(what)
            case .skipped(let what, let error):
                skipped += 1
                if skipped <= Self.skippedLinesMax {
                    Message.write("\(prefix)skipped \(what): \(error.oneLine)")
                }
                if skipped == Self.skippedLinesMax {
                    Message.write("\(prefix)further skipped items are only counted")
                }
            case .incomplete(let list, let shortfall):
                incomplete += 1
                if incomplete <= Self.skippedLinesMax {
                    Message.write("\(prefix)\(list): \(shortfall.reason)")
                }
                if incomplete == Self.skippedLinesMax {
                    Message.write("\(prefix)further incomplete lists are only counted")
                }
            case .noted(let list, let note):
                // Once, however many lists it is about.
                if notes.insert(note).inserted, notes.count <= Self.skippedLinesMax {
                    Message.write("\(prefix)\(list): \(note)")
                }
            case .ended(let end, let progress):
                let drift = progress.changes.drift
                for line in drift.losses { Message.write(prefix + line) }
                if let line = drift.news { Message.note(prefix + line) }
                if let first = unrecorded.first {
                    let others = unrecorded.count - 1
                    let more = others == 0 ? "" : " and \(Count.words(others, "other"))"
                    Message.note("\(prefix)not in the recording, and therefore skipped: \(first)\(more)")
                }
                Message.note(
                    prefix + SyncOutput.line(end, progress, requests: sent(progress), again: resumption))
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

    /// Returns the number of requests sent, including retries and redirects; if the source does not count them, the
    /// number that the sync made.
    private func sent(_ progress: SyncProgress) -> Int {
        gateway.source.requests?().sent ?? progress.requests
    }
}

/// The number of details to fetch, so that the progress bar has an end.
private struct DetailCount {
    private var rowsBefore: Int64?
    private var total: Int?

    /// Counts the missing details once the list is done and fetching details begins.
    mutating func update(_ progress: SyncProgress, _ resource: Resource, _ gateway: Gateway) async {
        guard progress.list.hasPrefix("details of "), rowsBefore == nil else { return }
        rowsBefore = progress.rows
        // Without a count the bar has no end. The sync itself will report what is wrong with the storage.
        total = try? await gateway.store.read { reading in
            var count = 0
            try reading.scan(Query(resource.collection)) { row in
                count +=
                    ItemState.lacksDetail(row)
                        || ItemState.hasDetail(row, notFrom: gateway.source.identity(of: resource)) ? 1 : 0
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
