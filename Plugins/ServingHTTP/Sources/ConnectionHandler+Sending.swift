#if Live
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
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

    /// Sends an answer that needs no wait in one piece; returns false, without an effect, for any other.
    func sendAtOnce(_ response: ServerResponse, to request: RequestHead) -> Bool {
        guard let context, case .whole(let body) = response.body, body.count <= Self.pieceBytes,
            context.channel.isWritable, !othersAreDue
        else { return false }
        let keepsAlive = request.keepsAlive && !connections.isStopping
        write(response, body, to: request, keepsAlive: keepsAlive)
        context.flush()
        answered(keepsAlive: keepsAlive)
        return true
    }

    /// Writes an answer at the speed at which the client reads it.
    func send(_ response: ServerResponse, to request: RequestHead) async {
        if sendAtOnce(response, to: request) { return }
        // Small answers take no more memory than what is sent of a large one at a time.
        var large: [UInt8]?
        if case .whole(let body) = response.body, body.count > Self.pieceBytes { large = body }
        if let large, !connections.takeAnswer(large, for: connection.client) {
            return refuse(.answersTooLarge)
        }
        defer { if let large { connections.releaseAnswer(large) } }
        do {
            try await waitUntilWritable()
            var keepsAlive = request.keepsAlive && !connections.isStopping
            switch response.body {
            case .whole(let body):
                try await write(whole: body, response, to: request, keepsAlive: keepsAlive)
            case .stream(let produce):
                // Without chunks, the end of the connection marks the end of the body.
                if request.isHTTP10 { keepsAlive = false }
                isEndless = response.headerFields[.contentType]?.hasPrefix("text/event-stream") ?? false
                try await write(produce, response, to: request, keepsAlive: keepsAlive)
            }
            if othersAreDue { await letOthersBeRead() }
            context?.flush()
            answered(keepsAlive: keepsAlive)
        } catch {
            // The client has left, or detects by the missing end that the answer is incomplete.
            breakOff()
        }
    }

    /// Refuses a request without calling the responder, and ends the connection.
    func refuse(_ fault: RequestFault) {
        guard let context, !isEnding else { return }
        let body = """
            {"type":"about:blank","title":"\(fault.status.reasonPhrase)","status":\(fault.status.code),\
            "detail":"\(fault.problem)"}
            """
        var head = HTTPResponse(status: .init(code: Int(fault.status.code)))
        head.headerFields = [.contentType: "application/problem+json", .xContentTypeOptions: "nosniff"]
        let written = WrittenHead(
            ServerResponse(head: head), .length(body.utf8.count), isHTTP10: false, keepsAlive: false)
        var bytes = ByteBuffer(bytes: written.bytes)
        bytes.writeString(body)
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        end(context)
    }

    private var isEnding: Bool { if case .ending = state { true } else { false } }

    /// Whether other connections are to be read before the current answer is complete.
    private var othersAreDue: Bool { (answersInARow + 1).isMultiple(of: Self.answersInARowMax) }
}

// MARK: - Writing

extension ConnectionHandler {
    /// Writes a head and the beginning of a complete body, in one piece; returns the rest of the body.
    @discardableResult
    private func write(
        _ response: ServerResponse, _ body: [UInt8], to request: RequestHead, keepsAlive: Bool
    ) -> ArraySlice<UInt8> {
        let hasNoBody = response.head.status.isBodiless
        let isBodiless = request.request.method == .head || hasNoBody
        // The length of the body for an answer to HEAD is often unknown.
        let hasLength = !hasNoBody && !(isBodiless && body.isEmpty)
        let start = isBodiless ? [] : body.prefix(Self.pieceBytes)
        let written = WrittenHead(
            response, hasLength ? .length(body.count) : .nothing, isHTTP10: request.isHTTP10,
            keepsAlive: keepsAlive)
        var bytes = ByteBufferAllocator().buffer(capacity: written.bytes.count + start.count)
        bytes.writeBytes(written.bytes)
        bytes.writeBytes(start)
        mayBePreceded = false
        context?.write(wrapOutboundOut(bytes), promise: nil)
        return isBodiless ? [] : body[start.endIndex...]
    }

    private func write(
        whole body: [UInt8], _ response: ServerResponse, to request: RequestHead, keepsAlive: Bool
    ) async throws {
        var rest = write(response, body, to: request, keepsAlive: keepsAlive)
        while !rest.isEmpty {
            context?.flush()
            try await waitUntilWritable()
            let piece = rest.prefix(Self.pieceBytes)
            context?.write(wrapOutboundOut(ByteBuffer(bytes: piece)), promise: nil)
            rest = rest[piece.endIndex...]
        }
    }

    private func write(
        _ produce: @Sendable (ServerResponse.Writer) async throws -> Void, _ response: ServerResponse,
        to request: RequestHead, keepsAlive: Bool
    ) async throws {
        let isBodiless = request.request.method == .head || response.head.status.isBodiless
        let isChunked = !request.isHTTP10 && !isBodiless
        let written = WrittenHead(
            response, isChunked ? .chunks : .nothing, isHTTP10: request.isHTTP10, keepsAlive: keepsAlive)
        mayBePreceded = false
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: written.bytes)), promise: nil)
        if isBodiless { return }
        guard let context else { throw ChannelError.ioOnClosedChannel }
        // Only the end of the connection marks the end of the body, so any other end must be a reset.
        if request.isHTTP10 { resetsWhenClosed(true, context) }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let executor = executor
        // The producer may run on another executor.
        try await produce(
            ServerResponse.Writer { piece in
                try await withTaskExecutorPreference(executor) {
                    try await bound.value.write(piece, isChunk: isChunked)
                }
            })
        if request.isHTTP10, let context = self.context { resetsWhenClosed(false, context) }
        if isChunked { self.context?.write(wrapOutboundOut(ByteBuffer(string: "0\r\n\r\n")), promise: nil) }
    }

    /// Makes the system reset the connection when it is closed, or not.
    private func resetsWhenClosed(_ resets: Bool, _ context: ChannelHandlerContext) {
        let option = linger(l_onoff: resets ? 1 : 0, l_linger: 0)
        _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(option)
    }

    private func write(_ piece: [UInt8], isChunk: Bool) async throws {
        try await waitUntilWritable()
        guard let context else { throw ChannelError.ioOnClosedChannel }
        // An empty chunk would end the body.
        if piece.isEmpty { return }
        var bytes = ByteBuffer()
        bytes.reserveCapacity(piece.count + 16)
        if isChunk { bytes.writeString(String(piece.count, radix: 16) + "\r\n") }
        bytes.writeBytes(piece)
        if isChunk { bytes.writeString("\r\n") }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}
#endif
