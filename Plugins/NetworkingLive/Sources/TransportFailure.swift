#if Live
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import PatchbayCore
import PatchbaySystem

/// A failed exchange in words that continue after the host: `"example.org" cannot be reached: ...`.
///
/// The words contain nothing of the request and only the listed parts of the answer, so no message can contain a token.
struct TransportFailure {
    let code: PatchbayError.Code
    let words: String
    /// Whether no connection could be established.
    private(set) var isUnreachable = false
    /// Whether the server did not answer in time.
    private(set) var isTimeout = false

    init(_ code: PatchbayError.Code, _ words: String) {
        self.code = code
        self.words = words
    }

    init(_ error: any Error, _ options: LiveOptions) {
        switch error {
        case is DeadlinePassed:
            self.init(
                .offline,
                "did not finish its answer within \(options.timeoutSeconds) s (networking.timeout-seconds)")
            isTimeout = true
        case let fault as ResponseFault: self.init(fault, options)
        case let error as HTTPParserError: self.init(error)
        case is NIOHTTPDecoderError: self.init(ResponseFault.unaskedAnswer, options)
        case let error as HTTPClientError: self.init(error, options)
        case let error as NIOConnectionError: self.init(error, options)
        case let error as IOError: self.init(error)
        case is ChannelError, is NIOHTTP2Errors.StreamClosed: self.init(.offline, "closed the connection")
        case is any NIOHTTP2Error: self.init(.invalidResponse, "violated the HTTP/2 protocol")
        default: self.init(tls: error)
        }
    }
}

extension PatchbayError {
    /// Creates the error of a failed exchange with a host.
    init(
        transport error: any Error, from target: Target, through proxy: ProxyAddress?, _ options: LiveOptions
    ) {
        let failure = TransportFailure(error, options)
        let details = proxy.map { [Detail.note("proxy", "\($0.host):\($0.port)")] } ?? []
        self.init(failure.code, "\"\(target.name)\" \(failure.words)", details)
        isUnreachable = failure.isUnreachable
        isTimeout = failure.isTimeout
    }
}

// MARK: - Answers

extension TransportFailure {
    private init(_ fault: ResponseFault, _ options: LiveOptions) {
        let words =
            switch fault {
            case .status(let code): "answered with the status \(code), which is not an HTTP status"
            case .tooManyInterimAnswers: "sent too many interim answers"
            case .unaskedAnswer: "sent an answer without a request"
            case .bodyTooLarge:
                "sent a body of more than \(options.bodyMiBMax) MiB (networking.body-mib-max)"
            case .encoding(let coding):
                "encoded its body as \(Quotation.quoted(coding)) (Content-Encoding); known are gzip and deflate"
            case .truncatedBody: "sent a compressed body that is truncated or has extra data"
            case .brokenBody: "sent a body that is not valid gzip or deflate"
            }
        self.init(.invalidResponse, words)
    }

    private init(_ error: HTTPParserError) {
        switch error {
        case .invalidEOFState, .closedConnection:
            self.init(.offline, "closed the connection in the middle of its answer")
        case .headerOverflow: self.init(.invalidResponse, "sent too many or too large header fields")
        case .unknown: self.init(.invalidResponse, "answered something that is not HTTP")
        default: self.init(.invalidResponse, "answered something that is not HTTP: \(error)")
        }
    }
}

// MARK: - Connections

extension TransportFailure {
    private init(_ error: HTTPClientError, _ options: LiveOptions) {
        switch error {
        case .readTimeout, .writeTimeout:
            self.init(
                .offline, "sent nothing for \(options.idleTimeoutSeconds) s (networking.idle-timeout-seconds)"
            )
            isTimeout = true
        case .connectTimeout, .tlsHandshakeTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
            self.init(
                .offline,
                "cannot be reached within \(options.connectTimeoutSeconds) s (networking.connect-timeout-seconds)"
            )
            isUnreachable = true
        case .getConnectionFromPoolTimeout, .deadlineExceeded: self.init(DeadlinePassed(), options)
        case .remoteConnectionClosed: self.init(.offline, "closed the connection without an answer")
        case .proxyAuthenticationRequired:
            self.init(.offline, "cannot be reached: the proxy requires a name and a password")
        case .invalidProxyResponse:
            self.init(.offline, "cannot be reached: the proxy refuses or is not a proxy")
        default: self.init(.offline, "cannot be reached (\(error.shortDescription))")
        }
    }

    private init(_ error: NIOConnectionError, _ options: LiveOptions) {
        guard let failure = error.connectionErrors.first?.error else {
            self.init(.offline, "cannot be reached: its name cannot be resolved (DNS)")
            isUnreachable = true
            return
        }
        switch failure {
        case let failure as IOError: self.init(failure)
        case ChannelError.connectTimeout: self.init(HTTPClientError.connectTimeout, options)
        default: self.init(.offline, "cannot be reached")
        }
        isUnreachable = true
    }

    private init(_ error: IOError) {
        let hadConnection = [.connectionReset, .readerGone, .notConnected].contains(
            SystemError(error.errnoCode))
        let words = SystemError(error.errnoCode).words
        self.init(.offline, (hadConnection ? "closed the connection: " : "cannot be reached: ") + words)
        isUnreachable = !hadConnection
    }

    /// Failures of TLS, and other errors without a case above.
    private init(tls error: any Error) {
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
            self.init(.offline, SystemAuthorities.advice())
        } else if (error as? NIOSSLExtraError) == .failedToValidateHostname {
            self.init(.offline, "has a certificate for another name")
        } else if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
            self.init(.offline, "cannot be reached: TLS failed")
        } else {
            self.init(.offline, "cannot be reached: \(type(of: error))")
        }
    }
}
#endif
