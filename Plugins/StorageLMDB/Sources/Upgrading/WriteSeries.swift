import PatchbayCore

/// Write transactions one behind another, with nobody else's in between.
///
/// LMDB keeps the pages that a transaction changes in memory until it commits; a series commits whenever
/// there are many.
final class WriteSeries {
    /// Another process has committed; what the series was made from is no longer what is stored.
    struct Interrupted: Error {}

    /// What one transaction writes before the next is begun.
    static let bytesUsual = 8 << 20

    private(set) var hasCommitted = false
    private let environment: Environment
    private let bytesMax: Int
    /// The commit that the next transaction must come behind.
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

    /// Tells that so many bytes were written; commits when it is time.
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
