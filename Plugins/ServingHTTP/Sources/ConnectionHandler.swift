#if Live
import NIOCore
import NIOHTTP1
import NIOSSL
import PatchbayCore

/// Handles a connection: reads the head of a request, its body if the responder wants it, answers, in a task if the
/// answer is not in memory, and repeats.
///
/// What arrives during an answer is handled after it, and the connection is not read meanwhile. A client that has
/// closed its half of the connection still gets its answers.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// The state of the connection.
    enum State {
        /// No request has arrived, or only a part of its head.
        case waiting
        case reading(RequestHead, IncomingBody?)
        case answering(Task<Void, Never>?)
        /// The last answer was sent. Further data is dropped until the client has read the answer.
        case ending
    }

    /// What the parser has delivered during an answer.
    enum Arrival {
        case part(HTTPServerRequestPart)
        case fault(HTTPParserError)
    }

    let options: ServingOptions
    let connections: OpenConnections
    let responder: any Responder
    let executor: EventLoopExecutor
    let connection: ServerRequest.Connection

    var state = State.waiting
    /// Whether the connection exceeds the limit of connections.
    var isTurnedAway = false
    /// Whether the current answer is endless, such as an event stream.
    var isEndless = false
    /// Whether the current answer is for a browser.
    var isForBrowser = false
    /// Whether an interim response may precede the current answer: it is for HTTP/1.1 and has not begun.
    var mayBePreceded = false
    /// Whether the server stops, so that the connection ends after the current answer.
    private(set) var isStopping = false
    /// Whether the client has closed its half of the connection, so that no request follows those that have arrived.
    var isInputClosed = false
    /// The memory that the body of the current request takes.
    var bodyBytes = 0
    private(set) var context: ChannelHandlerContext?
    /// The number of answers since bytes last arrived; more than one when a client pipelines requests.
    var answersInARow = 0
    var arrivals = CircularBuffer<Arrival>(initialCapacity: 0)
    var isHandlingArrivals = false
    /// Whether the connection is to be read after the current answer.
    var isReadDue = false
    private var writabilityWaiters: [CheckedContinuation<Void, any Error>] = []
    let timer = ConnectionTimer()

    init(
        _ responder: any Responder, _ options: ServingOptions, _ connections: OpenConnections,
        _ executor: EventLoopExecutor, connection: ServerRequest.Connection
    ) {
        self.responder = responder
        self.options = options
        self.connections = connections
        self.executor = executor
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer.start(in: context, .seconds(Int64(options.idleSeconds))) { [unowned self] in timePassed() }
        if context.channel.isActive { connected(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        connected(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { disconnected() }

    func channelInactive(context: ChannelHandlerContext) {
        disconnected()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isAnswering || !arrivals.isEmpty { arrivals.append(.part(part)) } else { handle(part) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        limitBodyTime()
        readFurther(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            context.close(promise: nil)
            return
        }
        if isAnswering || !arrivals.isEmpty {
            arrivals.append(.fault(error))
        } else {
            refuse(RequestFault(error))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ServerStops { stop(context) }
        if let event = event as? ChannelEvent, event == .inputClosed { inputClosed(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resumeWriters(.success(())) }
        context.fireChannelWritabilityChanged()
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}

// MARK: - The connection's life

extension ConnectionHandler {
    private func timePassed() {
        switch state {
        case .waiting where timer.isForHead:
            refuse(RequestFault(.requestTimeout, "the request did not arrive in time"))
        case .reading: refuse(.bodyTooSlow)
        case .answering: breakOff()
        case .waiting, .ending: context?.close(promise: nil)
        }
    }

    /// Closes the connection before the answer is complete, without the proper end of TLS, which a client of HTTP/1.0
    /// would take for the end of the body.
    func breakOff() {
        guard let context else { return }
        // Fails without TLS.
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }

    private func connected(_ context: ChannelHandlerContext) {
        if isTurnedAway {
            refuse(RequestFault(.serviceUnavailable, "there are too many connections; try again later"))
        }
        readFurther(context)
    }

    private func stop(_ context: ChannelHandlerContext) {
        isStopping = true
        switch state {
        case .waiting: context.close(promise: nil)
        case .answering(let task):
            // Requests that have not been handled are not answered any more.
            arrivals.removeAll()
            if isEndless { task?.cancel() }
        case .reading, .ending: break
        }
    }

    /// A client that has sent its last request may still read answers, but not an endless one. A browser has left: the
    /// source is not queried for it any longer. Whether another client has left is found by an interim response, which
    /// any client accepts (RFC 9110, section 15.2): a closed socket resets the connection, which cancels the answer.
    private func inputClosed(_ context: ChannelHandlerContext) {
        isInputClosed = true
        switch state {
        case .waiting: if arrivals.isEmpty { context.close(promise: nil) }
        case .answering(let task):
            if isEndless || isForBrowser { task?.cancel() } else if mayBePreceded { sendContinue() }
        // The rest of the body never arrives, which the parser has reported.
        case .reading: context.close(promise: nil)
        case .ending: break
        }
    }

    private func disconnected() {
        timer.stop()
        arrivals.removeAll()
        releaseBody()
        if case .answering(let task) = state { task?.cancel() }
        state = .ending
        resumeWriters(.failure(ChannelError.ioOnClosedChannel))
        context = nil
    }
}

// MARK: - Writing

extension ConnectionHandler {
    /// Waits until the client has read earlier data.
    ///
    /// - Throws: when the client has left or the task was cancelled.
    func waitUntilWritable() async throws {
        try Task.checkCancellation()
        guard let context else { throw ChannelError.ioOnClosedChannel }
        if context.channel.isWritable { return }
        timer.set(.seconds(Int64(options.stallSeconds)))
        defer { timer.clear() }
        try await withCheckedThrowingContinuation { writabilityWaiters.append($0) }
    }

    private func resumeWriters(_ result: Result<Void, any Error>) {
        let waiters = writabilityWaiters
        writabilityWaiters = []
        for waiter in waiters { waiter.resume(with: result) }
    }

    /// Called after an answer was sent. Handles the next request or ends the connection.
    func answered(keepsAlive: Bool) {
        guard let context else { return }
        releaseBody()
        guard keepsAlive else { return end(context) }
        guard !isStopping, !(isInputClosed && arrivals.isEmpty) else { return closeWhenSent(context) }
        answersInARow += 1
        state = .waiting
        timer.set(.seconds(Int64(options.idleSeconds)))
        handleArrivals()
    }

    /// Closes a connection on which the client expects to send another request.
    private func closeWhenSent(_ context: ChannelHandlerContext) {
        state = .ending
        timer.set(.seconds(Int64(options.stallSeconds)))
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in bound.value.context?.close(promise: nil) }
        // Closing drops what the client has not read, and an empty piece is written after all of it.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    /// Stops sending but keeps reading for 2 s. Closing a connection with unread bytes resets it, and the client may
    /// lose the answer (RFC 9112, section 9.6).
    func end(_ context: ChannelHandlerContext) {
        state = .ending
        releaseBody()
        timer.set(.seconds(2))
        context.close(mode: .output, promise: nil)
        handleArrivals()
    }
}
#endif
