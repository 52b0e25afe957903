import PatchbayCore

/// Consecutive write transactions under the writer lock, so that no other process of Patchbay writes in between.
///
/// LMDB keeps the pages that a transaction changes in memory until it commits; a series commits whenever
/// there are many.
final class WriteSeries {
    /// The number of bytes that one transaction writes before the next one begins.
    static let bytesUsual = 8 << 20

    private let environment: Environment
    private let bytesMax: Int
    /// The newest commit, which the next transaction must follow.
    private(set) var number: UInt64
    private var transaction: Transaction?
    private var bytes = 0

    init(_ environment: Environment, after number: UInt64, bytesMax: Int = WriteSeries.bytesUsual) {
        self.environment = environment
        self.number = number
        self.bytesMax = bytesMax
    }

    /// The open transaction.
    ///
    /// - Throws: `busy` when a program that writes through LMDB alone has committed.
    func current() throws -> Transaction {
        if let transaction { return transaction }
        let begun = try Transaction(environment, isWriting: true)
        guard begun.snapshot.number == number else {
            begun.abort()
            throw PatchbayError(
                .busy,
                "another program wrote to the storage \"\(environment.path)\" while its schema was being "
                    + "brought up to date; end that program and try again")
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
    }

    func abort() {
        transaction?.abort()
        transaction = nil
    }
}
