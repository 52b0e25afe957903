import PatchbayCore

/// Consecutive write transactions under the writer lock, so that no other process of Patchbay writes in between.
///
/// LMDB keeps the pages that a transaction changes in memory until it commits; a series commits whenever
/// there are many.
final class WriteSeries {
    /// The number of bytes that one transaction writes before the next one begins.
    static let bytesUsual = 8 << 20

    /// What LMDB adds to an entry: the header and the offset of its node.
    private static let entryOverhead = 10

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

    /// Puts a payload and its seal, as ``Transaction/put(_:under:in:isLast:)`` does.
    func put(
        _ payload: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in tree: Tree, isLast: Bool
    ) throws {
        try unsafe current().put(payload, under: key, in: tree, isLast: isLast)
        try wrote(key.count + payload.count + Tree.sealBytes)
    }

    /// Appends an entry whose value already has its seal, as ``Transaction/append(_:in:)`` does.
    func append(_ entry: Snapshot.Entry, in tree: Tree) throws -> Bool {
        guard try unsafe current().append(entry, in: tree) else { return false }
        try unsafe wrote(entry.key.count + entry.value.count)
        return true
    }

    /// Counts the bytes of an entry, and commits when there are enough.
    private func wrote(_ count: Int) throws {
        bytes += count + WriteSeries.entryOverhead
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
