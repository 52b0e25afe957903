/// The result of checking a whole storage.
public struct Verification: Sendable {
    /// A collection that was checked.
    public struct Checked: Sendable {
        /// The collection as the schema declares it.
        public var collection: CollectionSchema
        /// The number of rows that the check found.
        public var rows: Int
    }

    /// The maximum number of faults in the result.
    package static let faultsMax = 100

    /// The collections that were checked, in the order of the schema.
    public var collections: [Checked] = []
    /// The first 100 faults, or none.
    public internal(set) var faults: [StorageFault] = []

    mutating func add(_ more: [StorageFault]) {
        faults += more.prefix(Verification.faultsMax - faults.count)
    }
}

/// The faults that a check found, at most ``Verification/faultsMax``.
package struct FaultList: Sendable {
    package private(set) var faults: [StorageFault] = []

    package init() {}

    package var isFull: Bool { faults.count >= Verification.faultsMax }

    /// Adds a fault unless it is known.
    package mutating func add(_ file: String?, _ place: String?, _ message: String) {
        let fault = StorageFault(file: file, place: place, message)
        if !isFull, !faults.contains(fault) { faults.append(fault) }
    }
}

extension Store {
    /// Checks everything that is stored: the storage's own files, every row of every collection, and every entry of
    /// every index.
    ///
    /// Rows and indexes are read in short transactions. If the results of two transactions differ, which may be due to
    /// a commit in between, the collection is checked again in a single snapshot, which decides. Memory use does not
    /// grow with the number of rows.
    ///
    /// - Throws: errors that stop the check, such as `busy`; damage is a fault in the result.
    public func verify(progress: @escaping WorkProgress.Handler = { _ in }) async throws -> Verification {
        try await verify(batchRowsMax: RowBatch.rowsMax, progress: progress)
    }

    /// Like ``verify(progress:)``, with smaller batches for tests.
    func verify(batchRowsMax: Int, progress: @escaping WorkProgress.Handler) async throws -> Verification {
        var verification = Verification()
        verification.add(try await storage.verifyFiles(progress: progress))
        for collection in schema.collections {
            let check = try await check(collection, batchRowsMax, progress)
            verification.collections.append(
                Verification.Checked(collection: collection, rows: check.rowCount))
            verification.add(check.faults.faults + check.differences)
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
