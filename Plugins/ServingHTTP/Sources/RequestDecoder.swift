#if Live
import NIOCore
import NIOHTTP1

/// The decoder of requests. It notifies the connection's handler of bytes before they are parsed.
///
/// A handler of its own for this would take part in every read and write of the connection.
struct RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let decoder: HTTPRequestDecoder
    private let handler: ConnectionHandler

    init(_ handler: ConnectionHandler, headBytesMax: Int) {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = headBytesMax
        limits.maxHeaderListSize = headBytesMax
        decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        self.handler = handler
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        handler.bytesArrived()
        return try decoder.decode(context: context, buffer: &buffer)
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }
}
#endif
