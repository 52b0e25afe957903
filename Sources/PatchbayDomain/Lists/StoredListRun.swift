package import PatchbayCore

/// The progress of fetching a list: its cursor, stored in the same transaction as the rows of its last page.
///
/// A run that was interrupted at any moment resumes from here. No page is lost, and none is fetched twice after its
/// commit.
package struct StoredListRun: Hashable, Sendable {
    /// The name of the list, such as `users`.
    package var list = ""
    /// The query and the source's identity. A cursor is valid only for the same query.
    package var query = ""
    /// The position of the next page: the id before it in the list of users, its index in other lists.
    package var position: Int64 = 0
    /// The link to the next page; nil at the start, and when the position is enough.
    package var next: String?
    /// The number of pages this run has saved.
    package var pages: Int64 = 0
    package var rows: Int64 = 0
    /// Whether the run began at the start of the list, as every stored one did; not stored.
    package var isFromStart = true
    /// The number of pages according to the source.
    package var pageCount: Int64?
    package var startedAt = Timestamp(milliseconds: 0)
    /// When the end of the list was reached; nil until then.
    package var finishedAt: Timestamp?
    /// The value from which this run requests rows (``ResourceDeclaration/since``); nil when it requests the whole
    /// list.
    package var since: String?
    /// The newest value of the rows so far, including those of earlier runs. Once this run has finished, the next one
    /// requests rows from here.
    package var newest: String?
    /// When the run began by the source's own clock: the `Date` of its first answer. Nil when it did not report one.
    package var answeredAt: Timestamp?
    /// The token with which the source reports only changes; nil when it has none.
    package var delta: String?
    /// Why the rows of the finished run may not be all that the list has; nil when they are.
    package var incomplete: String?
    /// What ``incomplete`` was when a run of this list last finished, while this run has not.
    package var formerIncomplete: String?
    /// The greatest number of rows that the source has reported for the list during the run.
    package var total: Int64?
    /// The least of these numbers, which rows that were added during the run do not increase.
    package var leastTotal: Int64?
    /// Whether the source's total is that of the rows that a run with ``since`` requests: it was once.
    package var countsNewerRows = false
    /// Why the run does not show which rows the list lacks; nil while it does.
    package var unsettled: String?
    /// The number of consecutive runs up to the last finished one that ended unsettled.
    package var unsettledRuns: Int64 = 0
    /// The members of rows that the definition does not read (``UnreadMembers/stored``); nil before the first answer.
    package var unreadMembers: String?
    /// Whether the stored list comes from another query, such as for another account, so that it is a list of its own.
    package var replacesOther = false
    /// The number of consecutive runs of the whole list that did not settle which rows it lacks, because each was the
    /// first to lack some, or rows moved or were missing. The next one requests the whole list as well, up to a limit.
    package var openRuns: Int64 = 0
    /// For the cursor of several lists: the last change number when it began.
    package var changeNumber: Int64?

    package init() {}

    package init(list: String, query: String, startedAt: Timestamp) {
        self.list = list
        self.query = query
        self.startedAt = startedAt
    }

    /// Whether its numbers are possible. An imported row may contain any numbers.
    package var isPlausible: Bool {
        [position, pages, rows, pageCount ?? 0].allSatisfy { (0...1 << 60).contains($0) }
    }
}

extension StoredListRun: ColumnRecord {
    static let list = RecordColumn(0, "list", \Self.list)
    static let query = RecordColumn(1, "query", \Self.query)
    static let position = RecordColumn(2, "position", \Self.position)
    static let next = RecordColumn(3, "next", \Self.next)
    static let pages = RecordColumn(4, "pages", \Self.pages)
    static let rows = RecordColumn(5, "row_count", \Self.rows)
    static let pageCount = RecordColumn(6, "page_count", count: \Self.pageCount)
    static let startedAt = RecordColumn(7, "started_at_ms", \Self.startedAt)
    static let finishedAt = RecordColumn(8, "finished_at_ms", \Self.finishedAt)
    static let since = RecordColumn(9, "since", \Self.since)
    static let newest = RecordColumn(10, "newest", \Self.newest)

    static let answeredAt = RecordColumn(11, "answered_at_ms", \Self.answeredAt)
    static let delta = RecordColumn(12, "delta", \Self.delta)
    static let incomplete = RecordColumn(13, "incomplete", \Self.incomplete)
    static let total = RecordColumn(14, "total", count: \Self.total)
    static let unsettled = RecordColumn(15, "unsettled", \Self.unsettled)
    static let unsettledRuns = RecordColumn(16, "unsettled_runs", count: \Self.storedUnsettledRuns)
    static let unreadMembers = RecordColumn(17, "unread_members", \Self.unreadMembers)
    static let formerIncomplete = RecordColumn(18, "former_incomplete", \Self.formerIncomplete)
    static let replacesOther = RecordColumn(19, "replaces_other", count: \Self.storedReplacesOther)
    static let openRuns = RecordColumn(20, "open_runs", count: \Self.storedOpenRuns)
    static let changeNumber = RecordColumn(21, "change_number", \Self.changeNumber, isOwnStorage: true)

    static let leastTotal = RecordColumn(22, "least_total", count: \Self.leastTotal)
    static let countsNewerRows = RecordColumn(23, "counts_newer_rows", count: \Self.storedCountsNewerRows)

    /// Optional, as every column that was added later.
    private var storedUnsettledRuns: Int64? {
        get { unsettledRuns == 0 ? nil : unsettledRuns }
        set { unsettledRuns = newValue ?? 0 }
    }
    private var storedReplacesOther: Int64? {
        get { replacesOther ? 1 : nil }
        set { replacesOther = newValue == 1 }
    }
    private var storedCountsNewerRows: Int64? {
        get { countsNewerRows ? 1 : nil }
        set { countsNewerRows = newValue == 1 }
    }
    private var storedOpenRuns: Int64? {
        get { openRuns == 0 ? nil : openRuns }
        set { openRuns = newValue ?? 0 }
    }

    package static let columns = [
        list, query, position, next, pages, rows, pageCount, startedAt, finishedAt, since, newest, answeredAt,
        delta, incomplete, total, unsettled, unsettledRuns, unreadMembers, formerIncomplete,
        replacesOther, openRuns, changeNumber, leastTotal, countsNewerRows,
    ]

    package static let collection = CollectionSchema("list_runs", key: list.position, fields: fields)
}
