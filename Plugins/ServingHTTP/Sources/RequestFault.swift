#if Live
import NIOHTTP1

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
}
#endif
