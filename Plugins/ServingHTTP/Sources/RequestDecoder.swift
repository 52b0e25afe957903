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

/// A fault for which a request is refused without calling the responder. The connection is closed after the answer.
struct RequestFault: Error {
    let status: HTTPResponseStatus
    let problem: String

    init(_ status: HTTPResponseStatus, _ problem: String) {
        self.status = status
        self.problem = problem
    }

    /// Creates the fault for an error of the parser.
    init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow: self = .headTooLarge
        case .invalidVersion: self.init(.httpVersionNotSupported, "the request is not HTTP/1.0 or HTTP/1.1")
        default: self.init(.badRequest, "the request does not conform to HTTP/1.1 (RFC 9112)")
        }
    }

    static let headTooLarge = RequestFault(
        .requestHeaderFieldsTooLarge, "the request line and fields are too large")

    static func bodyTooLarge(_ bytesMax: Int) -> RequestFault {
        RequestFault(.payloadTooLarge, "the request's body has more than \(bytesMax) bytes")
    }

    static let bodyTooSlow = RequestFault(
        .requestTimeout, "the request's body did not arrive in time; send it faster")

    static let bodiesTooLarge = RequestFault(
        .serviceUnavailable, "the bodies of other requests take too much memory; try again later")

    static let answersTooLarge = RequestFault(
        .serviceUnavailable,
        "large answers that are being sent take too much memory; read their rest, or try again later")
}
#endif
