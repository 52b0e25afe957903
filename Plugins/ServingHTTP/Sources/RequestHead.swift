#if Live
import HTTPTypes
import NIOHTTP1
import PatchbayCore

/// The checked head of a request, whose framing is unambiguous.
struct RequestHead {
    let request: HTTPRequest
    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool
    var keepsAlive: Bool
    let isHTTP10: Bool

    /// Whether a browser sent it, as browsers state. They never close only their half of a connection.
    var isFromBrowser: Bool { request.headerFields.contains(.secFetchMode) }

    /// - Throws: the fault of a head that violates RFC 9110 or RFC 9112.
    init(_ head: HTTPRequestHead, isEncrypted: Bool, _ options: ServingOptions) throws(RequestFault) {
        guard head.version.major == 1 else {
            throw RequestFault(.httpVersionNotSupported, "the request is not HTTP/1.0 or HTTP/1.1")
        }
        isHTTP10 = head.version.minor == 0
        let (fields, hosts) = try Self.fields(head, options)
        if fields.contains(.contentLength) || fields.contains(.transferEncoding) {
            try Self.checkFraming(head, isHTTP10: isHTTP10, options)
        }
        let target = try Self.target(head, hosts)
        // SwiftNIO spells this method without its hyphen.
        let name = head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue
        guard let method = HTTPRequest.Method(rawValue: name) else {
            throw RequestFault(.badRequest, "the method is not a token")
        }
        request = HTTPRequest(
            method: method, scheme: isEncrypted ? "https" : "http", authority: target.authority,
            path: target.path, headerFields: fields)
        let expectation = fields.value(of: .expect)
        guard expectation == nil || expectation?.lowercased() == "100-continue" else {
            throw RequestFault(.expectationFailed, "the only supported expectation is 100-continue")
        }
        expectsContinue = expectation != nil && !isHTTP10
        keepsAlive = head.isKeepAlive
    }

    /// If two ends read a message's length differently, an attacker can make one of them treat a body as a request.
    private static func checkFraming(
        _ head: HTTPRequestHead, isHTTP10: Bool, _ options: ServingOptions
    ) throws(RequestFault) {
        let lengths = head.headers["Content-Length"], encodings = head.headers["Transfer-Encoding"]
        guard encodings.isEmpty || (lengths.isEmpty && !isHTTP10) else {
            throw RequestFault(.badRequest, "the request's body has two lengths")
        }
        guard encodings.isEmpty || encodings.map({ $0.lowercased() }) == ["chunked"] else {
            throw RequestFault(.notImplemented, "the only supported transfer encoding is chunked")
        }
        guard lengths.count <= 1 else {
            throw RequestFault(.badRequest, "the request's body has two lengths")
        }
        if let length = lengths.first {
            guard length.isASCIIDigits else {
                throw RequestFault(.badRequest, "the length of the request's body is not a number")
            }
            // The responder decides first whether the body is wanted at all.
            guard Int(length) != nil else { throw .bodyTooLarge(options.bodyBytesMax) }
        }
    }

    /// Returns host and path of a target in any form (RFC 9112, section 3.2).
    private static func target(
        _ head: HTTPRequestHead, _ hosts: [String]
    ) throws(RequestFault) -> (authority: String?, path: String) {
        guard hosts.count == 1 || (hosts.isEmpty && head.version.minor == 0) else {
            throw RequestFault(
                .badRequest, "an HTTP/1.1 request must have exactly one Host, not \(hosts.count)")
        }
        let isForeign = { (byte: UInt8) in !(0x21...0x7E).contains(byte) || byte == UInt8(ascii: "#") }
        guard head.uri.utf8.offset(where: isForeign) == nil else {
            throw RequestFault(.badRequest, "the request's target contains characters that no address has")
        }
        if head.uri.utf8.first == UInt8(ascii: "/") { return (hosts.first, head.uri) }
        if head.uri == "*" {
            guard head.method == .OPTIONS else {
                throw RequestFault(.badRequest, "the target * is allowed only for OPTIONS")
            }
            return (hosts.first, "*")
        }
        guard let address = HTTPAddress(head.uri) else {
            throw RequestFault(.badRequest, "the request's target is neither a path nor an http address")
        }
        return (address.authority, address.path)
    }

    /// Returns the fields without `Host`, and the values of `Host`.
    private static func fields(
        _ head: HTTPRequestHead, _ options: ServingOptions
    ) throws(RequestFault) -> (fields: HTTPFields, hosts: [String]) {
        var bytes = head.uri.utf8.count
        guard bytes <= options.headBytesMax / 2 else {
            throw RequestFault(.uriTooLong, "the request's target is too long")
        }
        var fields = HTTPFields(), hosts: [String] = []
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            bytes += name.utf8.count + value.utf8.count + 4
            guard bytes <= options.headBytesMax else { throw .headTooLarge }
            guard let fieldName = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw RequestFault(.badRequest, "a field of the request has an invalid name or value")
            }
            if fieldName == .host {
                hosts.append(value)
            } else {
                fields.append(HTTPField(name: fieldName, value: value))
            }
        }
        return (fields, hosts)
    }
}

extension HTTPField.Name {
    static let host = HTTPField.Name("Host")!
    fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
}
#endif
