/// The times that statements may take.
extension Connection {
    /// Allows the following statements of the transaction to take long, because they read or write whole tables.
    func sendLongLimits() throws(ServerError) {
        try sendLimits(isLong: true, isLocal: true)
    }

    /// Ends the effect of ``sendLongLimits()`` on this side; on the server, the end of the transaction does.
    func endLongLimits() { isLong = false }

    /// Runs statements outside a transaction that may take long.
    func takingLong<Result>(_ body: () throws -> Result) throws -> Result {
        isLong = true
        defer { isLong = false }
        // A pooler may give the next statement another session.
        guard isDirect else { return try body() }
        try sendLimits(isLong: true, isLocal: false)
        // VACUUM must be alone in its transaction.
        _ = try finish()
        defer {
            // If the connection is lost here, its next use finds out.
            try? sendLimits(isLong: false, isLocal: false)
            _ = try? finish()
        }
        return try body()
    }

    private func sendLimits(isLong: Bool, isLocal: Bool) throws(ServerError) {
        self.isLong = isLong
        let limit = options.statementTimeoutMilliseconds(isLong: isLong)
        try send(
            Statement(
                "SELECT set_config('statement_timeout', '\(limit)', $1)", [ServerType.boolean], isKept: false),
            Arguments(isLocal))
    }
}
