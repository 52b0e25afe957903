#if Live
import NIOCore

/// When a connection must have got further. Setting it is cheap: it is looked at when an earlier moment is reached.
final class ConnectionTimer {
    private weak var eventLoop: (any EventLoop)?
    private var deadline: NIODeadline?
    private var scheduled: Scheduled<Void>?
    private var scheduledFor: NIODeadline?
    private var passed: (() -> Void)?
    /// Whether it measures how long the head of a request takes.
    private(set) var isForHead = false

    /// Calls `passed` on the event loop when the time is over.
    func start(
        in context: ChannelHandlerContext, _ time: TimeAmount, passed: @escaping () -> Void
    ) {
        eventLoop = context.eventLoop
        self.passed = passed
        set(time)
    }

    func set(_ time: TimeAmount) {
        isForHead = false
        move(to: .now() + time)
    }

    /// Measures the head of a request, from its first bytes on.
    func setOnce(_ time: TimeAmount) {
        if isForHead { return }
        isForHead = true
        move(to: .now() + time)
    }

    /// Stops measuring.
    func clear() {
        isForHead = false
        deadline = nil
    }

    /// Stops for good.
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
            // What it measured is asked by who is called.
            passed?()
        } else {
            schedule(deadline)
        }
    }
}

@available(*, unavailable)
extension ConnectionTimer: Sendable {}
#endif
