#if Live
import HTTPTypes
import NIOCore
import NIOHTTP1
import PatchbayCore

extension ConnectionHandler {
    /// The size in bytes of the pieces in which a body is written. Small pieces make slow readers noticeable.
    private static let pieceBytes = 256 << 10

    /// The number of pipelined requests of a connection that are answered at once before other connections get a turn.
    private static let answersInARowMax = 16

    /// Lets the event loop read from other connections. The loop does not read while it has due tasks, and a yield or a
    /// very short pause would itself be a due task.
    private func letOthersBeRead() async {
        let pause = context?.eventLoop.scheduleTask(in: .milliseconds(1)) {}
        // This fails only when the event loop ends, and the connection with it.
        try? await pause?.futureResult.get()
    }

    /// Writes an answer at the speed at which the client reads it.
    func send(_ response: ServerResponse, to request: RequestHead) async {
        let isBodiless = request.request.method == .head || response.head.status.isBodiless
        var keepsAlive = request.keepsAlive && !connections.isStopping
        var head = HTTPResponseHead(response.head, isHTTP10: request.isHTTP10)
        do {
            try await waitUntilWritable()
            switch response.body {
            case .whole(let body):
                head.setLength(body.count, isKnown: !isBodiless || !body.isEmpty, response.head.status)
                head.setConnection(keepsAlive: keepsAlive)
                write(.head(head))
                if !isBodiless { try await write(body) }
            case .stream(let produce):
                // Without chunks, the end of the connection marks the end of the body.
                if request.isHTTP10 { keepsAlive = false }
                head.setConnection(keepsAlive: keepsAlive)
                if !request.isHTTP10, !isBodiless {
                    head.headers.add(name: "Transfer-Encoding", value: "chunked")
                }
                isEndless = response.head.headerFields[.contentType]?.hasPrefix("text/event-stream") ?? false
                write(.head(head))
                if !isBodiless { try await write(produce) }
            }
            answersInARow += 1
            if answersInARow.isMultiple(of: Self.answersInARowMax) { await letOthersBeRead() }
            guard let context else { return }
            // The pipeline delivers the next request when it sees the end, so the state must be ready for it.
            let end = wrapOutboundOut(.end(nil))
            answered(keepsAlive: keepsAlive, in: context) { context.writeAndFlush(end, promise: nil) }
        } catch {
            // The client has left, or detects by the missing end that the answer is incomplete.
            context?.close(promise: nil)
        }
    }

    /// Refuses a request without calling the responder, and ends the connection.
    func refuse(_ fault: RequestFault) {
        guard let outer, !isEnding else { return }
        let body = """
            {"type":"about:blank","title":"\(fault.status.reasonPhrase)","status":\(fault.status.code),\
            "detail":"\(fault.problem)"}
            """
        var head = HTTPResponseHead(version: .http1_1, status: fault.status)
        head.headers.add(name: "Content-Type", value: "application/problem+json")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        head.headers.add(name: "Date", value: HTTPDate.now())
        head.headers.add(name: "Content-Length", value: String(body.utf8.count))
        head.setConnection(keepsAlive: false)
        outer.write(wrapOutboundOut(.head(head)), promise: nil)
        outer.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        outer.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        end(outer)
    }

    private var isEnding: Bool { if case .ending = state { true } else { false } }

    /// Changes the state before the end of the answer is written, because writing it may deliver the next request.
    private func answered(keepsAlive: Bool, in context: ChannelHandlerContext, _ writeEnd: () -> Void) {
        if keepsAlive { answered(keepsAlive: true) }
        writeEnd()
        if !keepsAlive { answered(keepsAlive: false) }
    }

    private func write(_ part: HTTPServerResponsePart) {
        context?.write(wrapOutboundOut(part), promise: nil)
    }

    private func write(_ body: [UInt8]) async throws {
        var rest = body[...]
        while !rest.isEmpty {
            if rest.startIndex > 0 {
                context?.flush()
                try await waitUntilWritable()
            }
            write(.body(.byteBuffer(ByteBuffer(bytes: rest.prefix(Self.pieceBytes)))))
            rest = rest.dropFirst(Self.pieceBytes)
        }
    }

    private func write(
        _ produce: @Sendable (ServerResponse.Writer) async throws -> Void
    ) async throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        context.flush()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let executor = executor
        // The producer may run on another executor.
        try await produce(
            ServerResponse.Writer { piece in
                try await withTaskExecutorPreference(executor) { try await bound.value.writePiece(piece) }
            })
    }

    private func writePiece(_ piece: [UInt8]) async throws {
        try await waitUntilWritable()
        guard let context else { throw ChannelError.ioOnClosedChannel }
        if piece.isEmpty { return }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: piece)))), promise: nil)
    }
}

extension HTTPResponse.Status {
    /// Whether an answer of this status never has a body.
    fileprivate var isBodiless: Bool { kind == .informational || self == .noContent || self == .notModified }
}

extension HTTPResponseHead {
    fileprivate init(_ head: HTTPResponse, isHTTP10: Bool) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(head.headerFields.count + 3)
        var hasDate = false
        for field in head.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
            hasDate = hasDate || field.name == .date
        }
        if !hasDate { headers.add(name: "Date", value: HTTPDate.now()) }
        self.init(
            version: isHTTP10 ? .http1_0 : .http1_1,
            status: HTTPResponseStatus(statusCode: head.status.code, reasonPhrase: head.status.reasonPhrase),
            headers: headers)
    }

    /// - Parameter isKnown: whether the length of the body is known, also for an answer to HEAD.
    fileprivate mutating func setLength(_ count: Int, isKnown: Bool, _ status: HTTPResponse.Status) {
        if isKnown, !status.isBodiless { headers.add(name: "Content-Length", value: String(count)) }
    }

    fileprivate mutating func setConnection(keepsAlive: Bool) {
        if !keepsAlive {
            headers.add(name: "Connection", value: "close")
        } else if version == .http1_0 {
            headers.add(name: "Connection", value: "keep-alive")
        }
    }
}
#endif
