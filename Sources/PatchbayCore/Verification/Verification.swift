/// What a check of a whole storage found.
public struct Verification: Sendable {
    /// A collection that was checked.
    public struct Checked: Sendable {
        public var collection: CollectionSchema
        public var rows: Int
    }

    /// How many faults are told at most.
    public static let faultsMax = 100

    public var collections: [Checked] = []
    /// Empty when all is well; the first ``faultsMax``.
    public internal(set) var faults: [StorageFault] = []

    mutating func add(_ more: [StorageFault]) {
        faults += more.prefix(Verification.faultsMax - faults.count)
    }
}

extension Store {
    /// Checks everything that is stored: the storage's own files, every row of every collection, every entry of every
    /// index.
    ///
    /// Rows and indexes are read in short transactions. Where what was read in two of them does not agree, which may
    /// come from a commit in between, the collection is checked once more in a single snapshot, and that decides.
    /// Memory does not grow with the number of rows.
    ///
    /// - Throws: what stops the check, such as `busy`; damage is a fault in the result.
    public func verify(progress: @escaping WorkProgress.Handler = { _ in }) async throws -> Verification {
        try await verify(batchRowsMax: RowBatch.rowsMax, progress: progress)
    }

    /// As ``verify(progress:)``, with smaller batches for tests.
    func verify(batchRowsMax: Int, progress: @escaping WorkProgress.Handler) async throws -> Verification {
        var verification = Verification()
        verification.add(try await storage.verifyFiles(progress: progress))
        for collection in schema.collections {
            let check = try await check(collection, batchRowsMax, progress)
            verification.collections.append(
                Verification.Checked(collection: collection, rows: check.rowCount))
            verification.add(check.faults + check.differences)
        }
        return verification
    }

    private func check(
        _ collection: CollectionSchema, _ batchRowsMax: Int, _ progress: @escaping WorkProgress.Handler
    ) async throws -> CollectionCheck {
        var check = CollectionCheck(collection, batchRowsMax: batchRowsMax)
        while !check.isDone {
            try Task.checkCancellation()
            check = try await storage.read { [check] reader in
                var next = check
                try next.step(reader)
                return next
            }
            progress(check.progress)
        }
        if check.differences.isEmpty { return check }
        return try await storage.read { reader in
            var check = CollectionCheck(collection, batchRowsMax: batchRowsMax)
            while !check.isDone {
                try Task.checkCancellation()
                try check.step(reader)
                progress(check.progress)
            }
            try check.nameMissingRows(reader)
            return check
        }
    }
}
