public import PatchbayCore

/// The gateway's notes about a row: the first columns of every resource's collection, and those of `LaterColumn`.
public struct ItemState: Hashable, Sendable {
    /// When a list or the row's own address last returned or confirmed it.
    public var fetchedAt: Timestamp?
    /// When the row's own address last returned or confirmed it; nil when it never did.
    public var detailFetchedAt: Timestamp?
    /// The validator of the last answer from the row's own address.
    package var detailValidator: Validator
    /// When a complete list first lacked the row that it must contain. The row stays in lists until the next complete
    /// list lacks it as well (``goneAt``), because rows may move while a list is read.
    public var missingSince: Timestamp?
    /// When the source stopped listing the row. The row stays stored, but lists leave it out.
    public var goneAt: Timestamp?
    /// Why the source refuses to return the row although the row may exist. The row stays in lists.
    package var refusal: StoredRefusal?

    /// Creates the notes of a listed row that was never requested at its own address.
    package init(fetchedAt: Timestamp? = nil) {
        self.fetchedAt = fetchedAt
        detailValidator = Validator()
    }
}

extension ItemState {
    static let fetchedAt = RowColumn<Timestamp?>(0, "fetched_at_ms")
    static let detailFetchedAt = RowColumn<Timestamp?>(1, "detail_fetched_at_ms")
    static let detailEntityTag = RowColumn<String?>(2, "detail_etag")
    static let detailLastModified = RowColumn<String?>(3, "detail_last_modified")
    static let detailPartition = RowColumn<String?>(4, "detail_partition")
    static let goneAt = RowColumn<Timestamp?>(5, "gone_at_ms")
    static let refusal = RefusalColumns(at: 6)

    /// The last columns of a new collection, because the first version did not have them.
    package enum LaterColumn: String, CaseIterable, Sendable {
        case missingSince = "missing_since_ms"
        /// The change number of the row's last change; null in rows that were stored before numbers were given, or by
        /// another program, and counts as 0 then.
        case changeNumber = "change_number"
        /// The change number of the last change that lists show; null where that was the row's last change, which it is
        /// unless the row was edited since, or details were added.
        case listedNumber = "listed_number"

        package var field: Field {
            Field(rawValue, .integer, isOptional: true, isOwnStorage: self != .missingSince)
        }
    }

    /// The names of all columns of the notes.
    package static let names = Set(fields.map(\.name) + LaterColumn.allCases.map(\.rawValue))
    /// The maximum number of columns that a declaration needs: ``Limits/fields`` without the notes and room for eight
    /// later ones.
    package static let declaredMax = Limits.fields - 8 - fields.count

    /// The columns of the notes, in the order in which every collection of a resource begins.
    package static let fields =
        [
            fetchedAt.field, detailFetchedAt.field, detailEntityTag.field, detailLastModified.field,
            detailPartition.field, goneAt.field,
        ] + refusal.fields

    /// Reads the notes of a stored row.
    package init(_ row: borrowing RowView, of resource: Resource) {
        self.init(row, missingSince: resource.missingSincePosition)
    }

    /// Reads the notes of a row whose collection has ``missingSince`` at a position.
    package init(_ row: borrowing RowView, missingSince position: Int) {
        if !row.isNull(position) { missingSince = Timestamp(milliseconds: row.integer(position)) }
        fetchedAt = row[Self.fetchedAt]
        detailFetchedAt = row[Self.detailFetchedAt]
        detailValidator = Validator(
            entityTag: row[Self.detailEntityTag], lastModified: row[Self.detailLastModified],
            partition: row[Self.detailPartition])
        goneAt = row[Self.goneAt]
        refusal = Self.refusal.read(row)
    }

    /// Writes the notes into a row whose collection begins with ``fields``.
    ///
    /// - Parameter position: the position of ``missingSince``.
    package func write(to row: inout RowBuilder, missingSince position: Int) {
        if let missingSince { row.set(position, missingSince.milliseconds) }
        row[Self.fetchedAt] = fetchedAt
        row[Self.detailFetchedAt] = detailFetchedAt
        row[Self.detailEntityTag] = detailValidator.entityTag
        row[Self.detailLastModified] = detailValidator.lastModified
        row[Self.detailPartition] = detailValidator.partition
        row[Self.goneAt] = goneAt
        Self.refusal.write(refusal, to: &row)
    }

    /// How the source treats the row, in one word: `gone`, the kind of its refusal, or `missing`; nil for a row without
    /// such a note.
    package var sourceState: String? {
        goneAt != nil ? "gone" : refusal?.refusal.kind.rawValue ?? missingSince.map { _ in "missing" }
    }

    /// The positions of ``fetchedAt`` and ``goneAt``.
    package static var fetchedAtPosition: Int { fetchedAt.position }
    package static var goneAtPosition: Int { goneAt.position }

    /// Whether lists leave the row out.
    package static func isGone(_ row: borrowing RowView) -> Bool { !row.isNull(goneAt.position) }

    /// Whether the row's own address never returned it, although the source may do so.
    package static func lacksDetail(_ row: borrowing RowView) -> Bool {
        row.isNull(detailFetchedAt.position) && !isGone(row) && row.isNull(refusal.kind.position)
    }

    /// Whether the row's own address returned or refused it to a source with another ``Source/identity``.
    package static func hasDetail(_ row: borrowing RowView, notFrom identity: String) -> Bool {
        !isGone(row) && row[detailPartition].map { $0 != identity } ?? false
    }

    /// Records that the row's own address returned or confirmed the row.
    package mutating func confirm(at time: Timestamp) {
        fetchedAt = time
        detailFetchedAt = time
        missingSince = nil
        goneAt = nil
        refusal = nil
    }

    /// Records that a list returned the row, so its own address may answer again.
    ///
    /// The details of a row that was gone are dropped, because its key may be that of another row by now; so are those
    /// from another server.
    ///
    /// - Parameter identity: the ``Source/identity`` of the list's source; nil for rows of a file.
    package mutating func list(at time: Timestamp, from identity: String?) {
        if goneAt != nil || !detailValidator.isOfServer(of: identity) {
            detailFetchedAt = nil
            detailValidator = Validator()
        }
        fetchedAt = time
        missingSince = nil
        goneAt = nil
        if refusal?.refusal.kind == .missing { refusal = nil }
    }

    /// Records that the source no longer lists the row. Its validator is dropped, in case the row comes back.
    package mutating func markGone(at time: Timestamp) {
        missingSince = missingSince ?? time
        goneAt = goneAt ?? time
        detailValidator = detailValidator.withoutConditions
    }

    /// Records that the source refused the row. Its validator is dropped, so the next request is unconditional.
    ///
    /// - Parameter identity: what the refusal depends on (``Source/identity``); nil to leave it open.
    package mutating func refuse(_ refusal: StoredRefusal, by identity: String? = nil) {
        self.refusal = refusal
        detailValidator = Validator(partition: identity)
    }

    /// Whether a reader of the row sees a difference; when it was fetched, and its validator, are not seen.
    func isChange(from stored: borrowing RowView, missingSince position: Int) -> Bool {
        isListedChange(from: stored, missingSince: position)
            || (refusal != nil) == stored.isNull(Self.refusal.kind.position)
            || refusal != nil && refusal?.refusal != Self.refusal.read(stored)?.refusal
    }

    /// Whether lists show the row otherwise than before.
    func isListedChange(from stored: borrowing RowView, missingSince position: Int) -> Bool {
        (goneAt != nil) != Self.isGone(stored) || (missingSince == nil) != stored.isNull(position)
    }
}
