#if Live
import NIOCore
import NIOHTTP1
import PatchbayCore
import Synchronization

/// Handles a connection: reads a complete request, answers it, in a task if the answer is not in memory, and repeats.
///
/// What arrives during an answer is handled after it, and the connection is not read meanwhile.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// The state of the connection.
    enum State {
        /// No request has arrived, or only a part of its head.
        case waiting
        case reading(RequestHead, body: [UInt8])
        case answering(Task<Void, Never>?)
        /// The last answer was sent. Further data is dropped until the client has read the answer.
        case ending
    }

    /// What the parser has delivered during an answer.
    private enum Arrival {
        case part(HTTPServerRequestPart)
        case fault(HTTPParserError)
    }

    let options: ServingOptions
    let connections: OpenConnections
    private let responder: any Responder
    let executor: EventLoopExecutor
    private let connection: ServerRequest.Connection

    var state = State.waiting
    /// Whether the connection exceeds the limit of connections.
    var isTurnedAway = false
    /// Whether the current answer is endless, such as an event stream.
    var isEndless = false
    /// Whether the server stops, so that the connection ends after the current answer.
    private var isStopping = false
    private(set) var context: ChannelHandlerContext?
    /// The number of answers since bytes last arrived; more than one when a client pipelines requests.
    var answersInARow = 0
    private var arrivals = CircularBuffer<Arrival>(initialCapacity: 0)
    private var isHandlingArrivals = false
    /// Whether the connection is to be read after the current answer.
    private var isReadDue = false
    private var writabilityWaiters: [CheckedContinuation<Void, any Error>] = []
    private let timer = ConnectionTimer()

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
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resumeWriters(.success(())) }
        context.fireChannelWritabilityChanged()
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}

// MARK: - Reading

extension ConnectionHandler {
    /// Called when bytes arrive, before they are parsed. The rest of a head must arrive within the time limit.
    func bytesArrived() {
        answersInARow = 0
        if case .waiting = state { timer.setOnce(.seconds(Int64(options.headSeconds))) }
    }

    /// Limits the time for the next part of a body that has not arrived completely.
    private func limitBodyTime() {
        if case .reading = state { timer.set(.seconds(Int64(options.stallSeconds))) }
    }

    private func handle(_ part: HTTPServerRequestPart) {
        do throws(RequestFault) {
            switch (part, state) {
            case (_, .ending): break
            case (.head(let head), _): try read(head)
            case (.body(let part), .reading(let head, var body)):
                state = .waiting
                guard body.count + part.readableBytes <= options.bodyBytesMax else {
                    throw .bodyTooLarge(options.bodyBytesMax)
                }
                body.append(contentsOf: part.readableBytesView)
                state = .reading(head, body: body)
            case (.end, .reading(let head, let body)): answer(head, body)
            default: break
            }
        } catch {
            refuse(error)
        }
    }

    /// Handles what arrived during an answer, up to the next request whose answer needs a task.
    private func handleArrivals() {
        // Answers from memory call this again for each request; the loop keeps the stack short.
        if isHandlingArrivals { return }
        isHandlingArrivals = true
        defer { isHandlingArrivals = false }
        while !isAnswering, let arrival = arrivals.popFirst() {
            switch arrival {
            case .part(let part): handle(part)
            case .fault(let error): refuse(RequestFault(error))
            }
        }
        limitBodyTime()
        if isReadDue, let context { readFurther(context) }
    }

    /// Reads from the connection, now or after the current answer. A client that sends further requests without reading
    /// their answers must not fill the memory.
    private func readFurther(_ context: ChannelHandlerContext) {
        isReadDue = isAnswering
        if !isReadDue { context.read() }
    }

    private func read(_ head: HTTPRequestHead) throws(RequestFault) {
        let head = try RequestHead(head, isEncrypted: connection.isEncrypted, options)
        if head.expectsContinue {
            context?.writeAndFlush(
                wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
        state = .reading(head, body: [])
    }

    private var isAnswering: Bool { if case .answering = state { true } else { false } }

    private func answer(_ head: RequestHead, _ body: [UInt8]) {
        guard let context else { return }
        timer.clear()
        isEndless = false
        let request = ServerRequest(head: head.request, body: body, connection: connection)
        state = .answering(nil)
        let reply = responder.reply(to: request)
        if case .ready(let response) = reply, sendAtOnce(response, to: head) { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        connections.answers.add(1, ordering: .relaxed)
        let task = Task.immediate(executorPreference: executor) { [connections] in
            defer { connections.answers.subtract(1, ordering: .relaxed) }
            let response = await reply.response
            await bound.value.send(response, to: head)
        }
        // An answer without waits has already been sent.
        if isAnswering { state = .answering(task) }
    }

    private func timePassed() {
        switch state {
        case .waiting where timer.isForHead:
            refuse(RequestFault(.requestTimeout, "the request did not arrive in time"))
        case .reading: refuse(RequestFault(.requestTimeout, "the request's body did not arrive in time"))
        case .waiting, .answering, .ending: context?.close(promise: nil)
        }
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

    private func disconnected() {
        timer.stop()
        arrivals.removeAll()
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
        guard keepsAlive else { return end(context) }
        guard !isStopping else { return closeWhenSent(context) }
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
        timer.set(.seconds(2))
        context.close(mode: .output, promise: nil)
        handleArrivals()
    }
}
#endif
