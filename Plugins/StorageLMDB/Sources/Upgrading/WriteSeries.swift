import PatchbayCore

/// Consecutive write transactions, without those of other processes in between.
///
/// LMDB keeps the pages that a transaction changes in memory until it commits; a series commits whenever
/// there are many.
final class WriteSeries {
    /// Thrown when another process has committed, so that the series no longer matches the stored rows.
    struct Interrupted: Error {}

    /// The number of bytes that one transaction writes before the next one begins.
    static let bytesUsual = 8 << 20

    private(set) var hasCommitted = false
    private let environment: Environment
    private let bytesMax: Int
    /// The commit that the next transaction must follow.
    private var number: UInt64
    private var transaction: Transaction?
    private var bytes = 0

    init(_ environment: Environment, after number: UInt64, bytesMax: Int = WriteSeries.bytesUsual) {
        self.environment = environment
        self.number = number
        self.bytesMax = bytesMax
    }

    /// The open transaction.
    ///
    /// - Throws: ``Interrupted``.
    func current() throws -> Transaction {
        if let transaction { return transaction }
        let begun = try Transaction(environment, isWriting: true)
        guard begun.snapshot.number == number else {
            begun.abort()
            throw Interrupted()
        }
        transaction = begun
        return begun
    }

    /// Counts written bytes, and commits when there are enough.
    func wrote(_ count: Int) throws {
        bytes += count
        if bytes > bytesMax { try commit() }
    }

    func commit() throws {
        guard let ending = transaction else { return }
        transaction = nil
        try ending.commit()
        number += 1
        bytes = 0
        hasCommitted = true
    }

    func abort() {
        transaction?.abort()
        transaction = nil
    }
}
