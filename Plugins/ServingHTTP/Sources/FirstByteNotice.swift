#if Live
import NIOCore

/// Notifies a connection's handler that bytes of a request have arrived, before they are parsed.
final class FirstByteNotice: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let handler: ConnectionHandler

    init(_ handler: ConnectionHandler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handler.bytesArrived()
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension FirstByteNotice: Sendable {}
#endif
