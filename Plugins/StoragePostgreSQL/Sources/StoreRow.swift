import PatchbayCore

/// The one row of `patchbay_store`.
struct StoreRow {
    let revision: Int64
    let version: Int
    let identity: [UInt8]

    /// - Throws: `corrupted` when there is not exactly one row; ``ServerError`` when the table does not exist.
    init(_ connection: Connection) throws {
        let statement = StoreTables.select(connection.options)
        try connection.send(statement, isAnswered: true)
        guard let answer = try connection.finish(), answer.rowCount == 1 else {
            throw PatchbayError(
                .corrupted,
                "the table patchbay_store does not have exactly one row; restore the database from a copy",
                [.server(connection.server)])
        }
        revision = answer.integer(0, 0)
        version = Int(answer.integer(0, 1))
        identity = unsafe Array(answer.bytes(0, 2))
    }
}
