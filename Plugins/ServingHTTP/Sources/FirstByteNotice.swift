#if Live
import NIOCore

/// Notifies a connection's handler that bytes of a request have arrived, before they are parsed.
///
/// Answers without a request are written here, to bypass the pipeline's count of requests and answers.
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
