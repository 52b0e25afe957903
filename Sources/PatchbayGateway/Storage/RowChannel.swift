import Dispatch
import PatchbayCore

/// Passes batches of rows from a read transaction, which cannot suspend, to the task that writes them.
final class RowChannel: Sendable {
    /// The time after which a write is considered stuck.
    private static let waitSecondsMax = 600.0

    /// The batches in the order in which they were sent, for one receiver.
    let batches: AsyncStream<RowBatch>
    private let sending: AsyncStream<RowBatch>.Continuation
    /// One batch waits while another is written and a third is read.
    private let room = DispatchSemaphore(value: 1)

    init() { (batches, sending) = AsyncStream.makeStream() }

    /// Blocks the caller's thread until the receiver has taken the previous batch, then sends this one.
    ///
    /// - Throws: `busy` when that takes ten minutes; `CancellationError` when the channel is closed.
    func send(_ batch: RowBatch) throws {
        guard room.wait(timeout: .now() + Self.waitSecondsMax) == .success else {
            throw PatchbayError(.busy, "the target of the copy has taken no rows for ten minutes")
        }
        if case .enqueued = sending.yield(batch) { return }
        throw CancellationError()
    }

    /// Reports that the receiver has taken a batch, so that the next one may be sent.
    func makeRoom() { room.signal() }

    /// Ends the channel from either side; a sender that waits stops.
    func close() {
        sending.finish()
        room.signal()
    }
}
