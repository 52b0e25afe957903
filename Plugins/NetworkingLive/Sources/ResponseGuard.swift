#if Live
import NIOCore
import NIOHTTP1

/// Checks answers between the HTTP parser and AsyncHTTPClient, and passes on only those that the client can handle.
///
/// AsyncHTTPClient 1.37.0 stops the process on a status below 100 with a body, and accepts any number of interim
/// answers and any body size.
final class ResponseGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The maximum number of interim answers (100, 102, 103) before the final one.
    static let interimAnswersMax = 16

    private enum State {
        case idle
        case awaitingHead(HTTPMethod, interimAnswers: Int)
        case readingBody(bytes: Int)
        /// A fault was found; later data is dropped.
        case refused
    }

    private let bodyBytesMax: Int
    private var state = State.idle

    init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            state = .awaitingHead(head.method, interimAnswers: 0)
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            if let part = try checked(unwrapInboundIn(data)) { context.fireChannelRead(wrapInboundOut(part)) }
        } catch {
            state = .refused
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    /// Returns the part to pass on; nil to drop it.
    private func checked(_ part: HTTPClientResponsePart) throws(ResponseFault) -> HTTPClientResponsePart? {
        switch (part, state) {
        case (_, .refused): return nil
        case (.head(let head), .awaitingHead(let method, let interimAnswers)):
            if try isInterim(head) {
                guard interimAnswers < Self.interimAnswersMax else { throw .tooManyInterimAnswers }
                state = .awaitingHead(method, interimAnswers: interimAnswers + 1)
                return nil
            }
            state = .readingBody(bytes: 0)
            try check(head, method)
            return part
        case (.body(let buffer), .readingBody(let bytes)):
            guard bytes + buffer.readableBytes <= bodyBytesMax else { throw .bodyTooLarge }
            state = .readingBody(bytes: bytes + buffer.readableBytes)
            return part
        case (.end, .readingBody):
            state = .idle
            return part
        default: throw .unaskedAnswer
        }
    }

    private func isInterim(_ head: HTTPResponseHead) throws(ResponseFault) -> Bool {
        switch head.status.code {
        case 200...599: return false
        case 100, 102, 103: return true
        default: throw .status(head.status.code)
        }
    }

    private func check(_ head: HTTPResponseHead, _ method: HTTPMethod) throws(ResponseFault) {
        // These have no body, whatever length they announce.
        if method == .HEAD || head.status == .noContent || head.status == .notModified { return }
        let length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let length, length > bodyBytesMax { throw .bodyTooLarge }
    }
}

@available(*, unavailable)
extension ResponseGuard: Sendable {}

/// A fault in an answer that the parser accepts.
enum ResponseFault: Error {
    case status(UInt)
    case tooManyInterimAnswers
    case unaskedAnswer
    case bodyTooLarge
    /// An unknown coding.
    case encoding(String)
    /// A compressed body that ends early, or is followed by other data.
    case truncatedBody
    /// A compressed body that is invalid.
    case brokenBody
}
#endif
