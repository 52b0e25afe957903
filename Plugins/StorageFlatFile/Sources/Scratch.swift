import Synchronization

/// The memory of one `get` or `scan`, used again by later ones. One thread uses it at a time.
final class Scratch: @unchecked Sendable {
    // Sendable: whoever takes it from the pool is its only user.
    let lines = ByteBuffer(capacity: 1 << 15)
    let row = ByteBuffer()
    var key: [UInt8] = []
    var places: [Place] = []

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
