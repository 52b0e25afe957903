import PatchbayCore
import Synchronization

/// The memory of one `get` or `scan`, used again by later ones. One thread uses it at a time.
final class Scratch: @unchecked Sendable {
    // Sendable: whoever takes it from the pool is its only user.
    let lines = ByteBuffer(capacity: 1 << 15)
    let row = ByteBuffer()
    var key: [UInt8] = []
    var places: [Place] = []

    /// Gives the row that was parsed last to `visit`.
    func visitRow(_ visit: (borrowing RowView) throws -> Void) rethrows {
        // The memory stays as it is during the visit: nested reads take other scratch memory. Not generic: the
        // optimizer of Swift 6.3.1 crashes on specializing a closure over a row.
        let bytes = UnsafeRawBufferPointer(start: row.base, count: row.count)
        try visit(RowView(unchecked: bytes.bytes))
    }

    /// Gives the row that was parsed last to `visit`, which says whether to go on.
    func stepRow(_ visit: (borrowing RowView) throws -> Step) rethrows -> Step {
        let bytes = UnsafeRawBufferPointer(start: row.base, count: row.count)
        return try visit(RowView(unchecked: bytes.bytes))
    }

    fileprivate var isSmall: Bool { lines.capacity + row.capacity < 1 << 20 }
}

/// Scratch memory that is not in use. A visitor may start another read, so one read cannot own it all.
final class ScratchPool: Sendable {
    private static let countMax = 16
    private let idle = Mutex<[Scratch]>([])

    func take() -> Scratch { idle.withLock { $0.popLast() } ?? Scratch() }

    func giveBack(_ scratch: Scratch) {
        guard scratch.isSmall else { return }
        idle.withLock { if $0.count < ScratchPool.countMax { $0.append(scratch) } }
    }
}
