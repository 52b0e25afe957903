#if Live
import NIOCore

/// The deadline for progress on a connection. Changing it is cheap, because it is checked only when an earlier
/// scheduled time is reached.
final class ConnectionTimer {
    private weak var eventLoop: (any EventLoop)?
    private var deadline: NIODeadline?
    private var scheduled: Scheduled<Void>?
    private var scheduledFor: NIODeadline?
    private var passed: (() -> Void)?
    /// Whether the deadline is that of a request's head.
    private(set) var isForHead = false

    /// Starts the timer, which calls `passed` on the event loop when the time is over.
    func start(
        in context: ChannelHandlerContext, _ time: TimeAmount, passed: @escaping () -> Void
    ) {
        eventLoop = context.eventLoop
        self.passed = passed
        set(time)
    }

    func set(_ time: TimeAmount) { set(.now() + time) }

    func set(_ moment: NIODeadline) {
        isForHead = false
        move(to: moment)
    }

    /// Sets the deadline of a request's head when its first bytes arrive.
    func setOnce(_ time: TimeAmount) {
        if isForHead { return }
        isForHead = true
        move(to: .now() + time)
    }

    /// Removes the deadline.
    func clear() {
        isForHead = false
        deadline = nil
    }

    /// Stops the timer for good.
    func stop() {
        clear()
        scheduled?.cancel()
        passed = nil
    }

    private func move(to moment: NIODeadline) {
        deadline = moment
        guard let scheduledFor, scheduledFor <= moment else { return schedule(moment) }
    }

    private func schedule(_ moment: NIODeadline) {
        scheduled?.cancel()
        guard let eventLoop else { return }
        scheduledFor = moment
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        scheduled = eventLoop.scheduleTask(deadline: moment) { bound.value.look() }
    }

    private func look() {
        scheduledFor = nil
        guard let deadline else { return }
        if deadline <= .now() {
            self.deadline = nil
            // The callback reads `isForHead`, so it is not reset here.
            passed?()
        } else {
            schedule(deadline)
        }
    }
}

@available(*, unavailable)
extension ConnectionTimer: Sendable {}
#endif
