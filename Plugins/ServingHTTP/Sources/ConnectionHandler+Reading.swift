#if Live
import NIOCore
import NIOHTTP1
import PatchbayCore
import Synchronization

/// A body that the responder wants, as far as it has arrived.
struct IncomingBody {
    var bytes: [UInt8] = []
    let bytesMax: Int
    let beganAt = NIODeadline.now()
    let next: @Sendable ([UInt8]) -> ServerReply

    /// The time at which the next part must have arrived. A body may pause, but its average speed has a lower limit.
    func deadline(_ options: ServingOptions) -> NIODeadline {
        let pause = TimeAmount.seconds(Int64(options.stallSeconds))
        let allowed = TimeAmount.seconds(Int64(bytes.count / options.bodyBytesPerSecondMin))
        return min(.now() + pause, beganAt + pause + allowed)
    }
}

extension ConnectionHandler {
    /// Called when bytes arrive, before they are parsed. The rest of a head must arrive within the time limit.
    func bytesArrived() {
        answersInARow = 0
        if case .waiting = state { timer.setOnce(.seconds(Int64(options.headSeconds))) }
    }

    /// Limits the time for the next part of a body that has not arrived completely.
    func limitBodyTime() {
        guard case .reading(_, let body) = state else { return }
        timer.set(body?.deadline(options) ?? .now() + .seconds(Int64(options.stallSeconds)))
    }

    func handle(_ part: HTTPServerRequestPart) {
        do throws(RequestFault) {
            switch (part, state) {
            case (_, .ending): break
            case (.head(let head), _): try read(head)
            case (.body(let part), .reading(let head, var body?)):
                // The array has one owner, so that it is not copied.
                state = .waiting
                try add(part, to: &body)
                state = .reading(head, body)
            case (.end, .reading(let head, let body)):
                let reply = body?.next(body?.bytes ?? []) ?? responder.reply(to: request(head))
                answer(reply.withoutBody, to: head)
            default: break
            }
        } catch {
            refuse(error)
        }
    }

    /// Handles what arrived during an answer, up to the next request whose answer needs a task.
    func handleArrivals() {
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
    func readFurther(_ context: ChannelHandlerContext) {
        isReadDue = isAnswering
        if !isReadDue { context.read() }
    }

    var isAnswering: Bool { if case .answering = state { true } else { false } }

    /// Returns the memory of the current request's body.
    func releaseBody() {
        connections.releaseBodyBytes(bodyBytes, from: connection.client)
        bodyBytes = 0
    }
}

// MARK: - Requests

extension ConnectionHandler {
    private func request(_ head: RequestHead) -> ServerRequest {
        ServerRequest(head: head.request, connection: connection)
    }

    /// Lets the responder decide about a body before a byte of it is read. Without one, the request is complete with
    /// its next part.
    private func read(_ head: HTTPRequestHead) throws(RequestFault) {
        var head = try RequestHead(head, isEncrypted: connection.isEncrypted, options)
        let request = request(head)
        guard request.hasBody else {
            state = .reading(head, nil)
            return
        }
        let reply = responder.reply(to: request)
        guard case .reading(let bytesMax, let next) = reply else {
            // The next request could be found only by reading the body.
            head.keepsAlive = false
            return answer(reply, to: head)
        }
        let body = IncomingBody(bytesMax: min(bytesMax ?? .max, options.bodyBytesMax), next: next)
        guard request.bodyBytes ?? 0 <= body.bytesMax else { throw .bodyTooLarge(body.bytesMax) }
        if head.expectsContinue { sendContinue() }
        state = .reading(head, body)
    }

    func sendContinue() {
        let bytes = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    private func add(_ part: ByteBuffer, to body: inout IncomingBody) throws(RequestFault) {
        let count = part.readableBytes
        guard body.bytes.count + count <= body.bytesMax else { throw .bodyTooLarge(body.bytesMax) }
        guard connections.takeBodyBytes(count, for: connection.client) else { throw .bodiesTooLarge }
        bodyBytes += count
        body.bytes.append(contentsOf: part.readableBytesView)
    }

    private func answer(_ reply: ServerReply, to head: RequestHead) {
        guard let context else { return }
        timer.clear()
        isEndless = false
        isForBrowser = head.isFromBrowser
        mayBePreceded = !head.isHTTP10
        state = .answering(nil)
        if case .ready(let response) = reply, sendAtOnce(response, to: head) { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        connections.answers.add(1, ordering: .relaxed)
        let task = Task.immediate(executorPreference: executor) { [connections] in
            defer { connections.answers.subtract(1, ordering: .relaxed) }
            let response = await reply.response()
            await bound.value.send(response, to: head)
        }
        // An answer without waits has already been sent.
        if isAnswering { state = .answering(task) }
    }
}

extension ServerReply {
    /// The reply to a request whose body was read or that has none.
    fileprivate var withoutBody: ServerReply {
        guard case .reading(_, let next) = self else { return self }
        return next([]).withoutBody
    }
}
#endif
