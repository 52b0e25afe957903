import PatchbayCore
import Synchronization

/// The memory of one `get` or `scan`, reused by later ones. One thread uses it at a time.
final class Scratch: @unchecked Sendable {
    // Sendable: the read that takes it from the pool is its only user.
    let lines = ByteBuffer(capacity: 1 << 15)
    let row = ByteBuffer()
    var key: [UInt8] = []
    var places: [Place] = []

    /// Calls `visit` with the row that was parsed last.
    func visitRow(_ visit: (borrowing RowView) throws -> Void) rethrows {
        // The memory does not change during the visit, because nested reads take other scratch memory. This is not
        // generic, because the optimizer of Swift 6.3.1 crashes when it specializes a closure over a row.
        let bytes = unsafe UnsafeRawBufferPointer(start: row.base, count: row.count)
        try unsafe visit(RowView(unchecked: bytes.bytes))
    }

    /// The encoded primary key of the row that was parsed last.
    func rowKey(_ collection: CollectionSchema) throws -> [UInt8] {
        var key: [UInt8] = []
        try visitRow { _ = try collection.appendEntry(of: $0, in: collection.primaryKey, to: &key) }
        return key
    }

    fileprivate var isSmall: Bool { lines.capacity + row.capacity < 1 << 20 }
}

/// Scratch memory that is not in use. There are several, because a visitor may start another read.
final class ScratchPool: Sendable {
    private static let countMax = 16
    private let idle = Mutex<[Scratch]>([])

    func take() -> Scratch { idle.withLock { $0.popLast() } ?? Scratch() }

    func release(_ scratch: Scratch) {
        guard scratch.isSmall else { return }
        idle.withLock { if $0.count < ScratchPool.countMax { $0.append(scratch) } }
    }
}
