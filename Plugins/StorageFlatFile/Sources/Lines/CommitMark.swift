import PatchbayJSON

/// The line that ends a transaction in each file it touched. It commits the lines between it and the previous mark.
///
///     {"_commit":17,"_previous":15,"_synced":16,"_with":["cursors"],"_crc":"0a1b2c3d"}
struct CommitMark: Equatable {
    /// Transactions are numbered across all files of the storage, without gaps.
    var transaction: UInt64
    /// The transaction before it in the same file; 0 when there is none.
    var previous: UInt64
    /// Every transaction up to this one was on the disk when the mark was written, so one that is missing was damaged.
    var synced: UInt64
    /// The other collections that the transaction touched. It is committed only when their files have its mark, too.
    var others: [String]

    static let start: StaticString = "{\"_commit\":"

    /// Appends the mark without the trailer.
    func write(to buffer: ByteBuffer) {
        buffer.append(CommitMark.start)
        buffer.append(Array("\(transaction),\"_previous\":\(previous),\"_synced\":\(synced)".utf8))
        guard !others.isEmpty else { return }
        buffer.append(Array(",\"_with\":[\(others.map { "\"\($0)\"" }.joined(separator: ","))]".utf8))
    }

    init(transaction: UInt64, previous: UInt64, synced: UInt64, others: [String] = []) {
        self.transaction = transaction
        self.previous = previous
        self.synced = synced
        self.others = others
    }

    /// Reads the object on a line; nil when it is not a commit mark.
    init?(_ json: JSONValue) {
        guard let transaction = json.transaction("_commit"), transaction > 0,
            let previous = json.transaction("_previous"), let synced = json.transaction("_synced")
        else { return nil }
        let others = json["_with"]?.elements.compactMap(\.word) ?? []
        self.init(transaction: transaction, previous: previous, synced: synced, others: others)
    }
}
