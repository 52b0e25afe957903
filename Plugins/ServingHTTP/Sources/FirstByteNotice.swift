#if Live
import NIOCore

/// Tells a connection's handler, before the parser sees them, that bytes of a request have arrived.
///
/// Answers that belong to no request are written here, past the pipeline's count of requests and answers.
final class FirstByteNotice: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let handler: ConnectionHandler

    init(_ handler: ConnectionHandler) { self.handler = handler }

    func handlerAdded(context: ChannelHandlerContext) { handler.outer = context }

    func handlerRemoved(context: ChannelHandlerContext) { handler.outer = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handler.bytesArrived()
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension FirstByteNotice: Sendable {}
#endif
