import PatchbayCore
import PatchbayDomain

/// The marks from which later runs request newer rows.
extension LinkedList {
    /// The time after which a value does not move the mark. Without the source's own time, this machine's is taken,
    /// which may differ.
    private func latest(_ run: StoredListRun) -> Timestamp {
        run.answeredAt ?? gateway.now().advanced(by: .seconds(86_400))
    }

    /// Whether the mark that a run begins at is in the future by the source's clock.
    func isAhead(_ run: StoredListRun) -> Bool {
        guard sinceField?.type == .time, let answeredAt = run.answeredAt,
            let mark = run.since.flatMap({ Int64($0) })
        else { return false }
        return Timestamp(milliseconds: mark) > answeredAt
    }

    /// Moves the mark of a run past a page's rows.
    func note(
        _ page: StoredListPage, in run: inout StoredListRun, _ changes: inout RowChanges,
        _ reading: borrowing Reading
    ) throws {
        guard let field = sinceField else { return }
        let latest = latest(run)
        // A row that changed during the run is not reported, nor are differences between the source's own machines.
        let now = max(latest, page.answeredAt ?? latest).advanced(by: .seconds(60))
        var marks = run.newest.map { [$0] } ?? []
        for key in page.keys {
            guard let value = try reading.listedItem(key, of: resource)?[field] else { continue }
            if value.isMark(upTo: latest) { marks.append(value.mark) }
            changes.ahead += value.isMark(upTo: now) ? 0 : 1
        }
        func hasDigit(_ mark: String) -> Bool { mark.utf8.contains(where: \.isASCIIDigit) }
        if field.type == .text, marks.contains(where: hasDigit) {
            // A word such as "unknown" among dates or numbers would be newer than all of them.
            let count = marks.count
            marks.removeAll { !hasDigit($0) }
            changes.ahead += Int64(count - marks.count)
        }
        run.newest = field.type == .text ? marks.max() : marks.compactMap { Int64($0) }.max().map(String.init)
    }

    /// What the reader of a finished run should know about the next one.
    ///
    /// - Parameter ahead: the number of rows whose time is in the future.
    func notes(on run: StoredListRun, ahead: Int64) -> [String] {
        var notes: [String] = []
        if let field = sinceField {
            if ahead > 0 {
                let what = field.type == .time ? "in the future" : "unlike those of the others"
                notes.append(
                    "\(Count.words(ahead, "row has", "rows have")) \(field.name.withArticle) \(what); the "
                        + "next sync does not begin there")
            }
            if field.type == .time, run.answeredAt == nil {
                notes.append(
                    "the source does not report the time of its answers (Date), so that a change during a sync may be "
                        + "missed; a sync from the beginning fetches the whole list")
            }
        }
        if run.since == nil, run.unsettledRuns > 1, let reason = run.unsettled {
            notes.append(
                "\(reason), as in each of the last \(run.unsettledRuns) syncs, so that rows that no longer exist are "
                    + "not found")
        }
        return notes
    }
}

extension StoredListRun {
    /// Whether the next run requests the same rows, because some have moved (``LinkedList/settle(_:)``) or are missing.
    var keepsMark: Bool { since != nil && unsettled != nil && newest == since }
}

extension ItemValue {
    /// The value as stored in a run.
    fileprivate var mark: String {
        if case .time(let time) = self { String(time.milliseconds) } else { description }
    }

    /// Whether the next run may begin at the value: a time up to another one, a number that is not a placeholder for
    /// the greatest one, or a text.
    fileprivate func isMark(upTo latest: Timestamp) -> Bool {
        switch self {
        case .time(let time): time <= latest
        // The greatest numbers of the usual types.
        case .integer(let number): ![.max, 1 << 53, 1 << 53 - 1, Int64(Int32.max)].contains(number)
        default: true
        }
    }

    /// The value to send.
    init?(mark: String, _ type: ValueType) {
        guard type != .text else {
            self = .text(mark)
            return
        }
        guard let number = Int64(mark) else { return nil }
        self = type == .time ? .time(Timestamp(milliseconds: number)) : .integer(number)
    }
}
