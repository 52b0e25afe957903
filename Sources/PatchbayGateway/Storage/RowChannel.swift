import Dispatch
import PatchbayCore

/// Hands batches of rows from a transaction, which cannot suspend, to the task that writes them.
final class RowChannel: Sendable {
    /// A write that takes longer has stopped.
    private static let waitSecondsMax = 600.0

    /// The batches in the order in which they were sent; for one receiver.
    let batches: AsyncStream<RowBatch>
    private let sending: AsyncStream<RowBatch>.Continuation
    /// One batch waits while another is written and a third one is read.
    private let room = DispatchSemaphore(value: 1)

    init() { (batches, sending) = AsyncStream.makeStream() }

    /// Waits until the receiver has taken the batch before, on the caller's thread.
    ///
    /// - Throws: `busy` when that takes ten minutes; `CancellationError` when the channel is closed.
    func send(_ batch: RowBatch) throws {
        guard room.wait(timeout: .now() + Self.waitSecondsMax) == .success else {
            throw PatchbayError(.busy, "the target of the copy has taken no rows for ten minutes")
        }
        if case .enqueued = sending.yield(batch) { return }
        throw CancellationError()
    }

    /// Says that the receiver has taken a batch and another one may wait.
    func makeRoom() { room.signal() }

    /// Ends the channel from either side; a sender that waits stops.
    func close() {
        sending.finish()
        room.signal()
    }
}
