import HTTPTypes
import PatchbayCore

/// The parts in which two requests must be equal to be the same request.
///
/// Scheme, host, port and path are compared in canonical form, query items and form parameters in any order. The
/// fragment and credentials are ignored.
struct RequestKey: Hashable, Sendable {
    private(set) var method: String
    /// `https://api.github.com`: in lower case, without the default port of the scheme.
    let origin: String
    let path: String
    var query: [QueryItem]
    /// The parameters of a form or the members of a JSON object, without secrets; nil for another body.
    var parameters: [QueryItem]?
    /// See ``RequestBody/digest``.
    var bodyDigest: Int?

    /// - Parameter url: an absolute URL with a host; the result is nil for any other.
    init?(method: String, url: String, body: RequestBody) {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")),
            url[colon...].utf8.starts(with: "://".utf8)
        else { return nil }
        let rest = url[url.utf8.index(colon, offsetBy: 3)...]
        let authorityEnd = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        guard colon > url.startIndex, authorityEnd > rest.startIndex else { return nil }
        self.init(method, url[..<colon], rest[..<authorityEnd], rest[authorityEnd...], body)
    }

    init(_ request: HTTPRequest, body: [UInt8]) {
        let mediaType = request.headerFields[.contentType] ?? ""
        self.init(
            request.method.rawValue, request.scheme.map { $0[...] } ?? "https",
            request.authority.map { $0[...] } ?? "",
            request.path.map { $0[...] } ?? "/", RequestBody(body, mediaType: mediaType))
    }

    private init(
        _ method: String, _ scheme: Substring, _ authority: Substring, _ target: Substring,
        _ body: RequestBody
    ) {
        self.method = method
        origin = RequestKey.origin(scheme.lowercased(), authority.lowercased())
        let target = target[..<(target.utf8.firstIndex(of: UInt8(ascii: "#")) ?? target.endIndex)]
        let pathEnd = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        path = pathEnd > target.startIndex ? PercentEncoding.path(target[..<pathEnd].utf8) : "/"
        query = QueryItem.items(of: target[pathEnd...].utf8.dropFirst())
        parameters = body.parameters
        bodyDigest = body.digest
    }

    /// Returns the origin without user, password and the default port of the scheme.
    private static func origin(_ scheme: String, _ authority: String) -> String {
        let userEnd = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority.utf8.index(after: $0) }
        var host = authority[(userEnd ?? authority.startIndex)...]
        for port in [":", scheme == "https" ? ":443" : ":80"] where host.hasSuffix(port) {
            host = host.dropLast(port.utf8.count)
        }
        return "\(scheme)://\(host)"
    }

    /// The host without its port.
    var host: String {
        let authority =
            origin.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2).last ?? origin.utf8[...]
        let colon = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        // The colons of an IPv6 address are inside brackets.
        let isPort = !authority[colon...].contains(UInt8(ascii: "]"))
        return String(Substring(isPort ? authority[..<colon] : authority))
    }

    /// Returns the key without the query items and parameters that are listed by `name` or as `name=value`.
    func dropping(_ items: Set<String>) -> RequestKey {
        func isDropped(_ item: QueryItem) -> Bool {
            items.contains(item.name) || items.contains(item.name + "=" + item.value)
        }
        var key = self
        key.query.removeAll(where: isDropped)
        key.parameters?.removeAll(where: isDropped)
        return key
    }

    /// The key of the same request recorded without its body.
    var withoutBody: RequestKey {
        var key = self
        (key.bodyDigest, key.parameters) = (nil, nil)
        return key
    }

    /// The key of the request whose answer begins as the one to this HEAD request; nil for another method.
    var withBody: RequestKey? {
        guard method == "HEAD" else { return nil }
        var key = self
        key.method = "GET"
        return key
    }

    /// The keys of the same request with its parameters in the address. APIs that take forms, such as Slack's, usually
    /// accept that as well, with either method.
    var withParametersInQuery: [RequestKey] {
        guard let parameters else { return [] }
        var key = withoutBody
        key.query = (query + parameters).sorted()
        let posted = key
        key.method = "GET"
        return [posted, key]
    }

    /// Whether this recorded request differs from one without soft query items only in case.
    func isEqual(_ other: RequestKey, ignoringCaseAnd softQueryItems: Set<String>) -> Bool {
        method == other.method && path.utf8.count == other.path.utf8.count && origin == other.origin
            && (bodyDigest == nil || bodyDigest == other.bodyDigest)
            && (parameters == nil || dropping(softQueryItems).parameters == other.parameters)
            && path.lowercased() == other.path.lowercased()
            && dropping(softQueryItems).query.elementsEqual(other.query) {
                $0.name == $1.name && $0.value.lowercased() == $1.value.lowercased()
            }
    }

    /// The maximum length of a query in a message.
    private static let quotedBytesMax = 500

    /// The request as text for messages, such as `GET https://api.github.com/users?since=46`, without secrets.
    var description: String {
        var items = query.map(\.display).joined(separator: "&")
        if items.utf8.count > RequestKey.quotedBytesMax {
            items = items.prefix(RequestKey.quotedBytesMax / 4) + "…"
        }
        let sent = parameters.map { " with " + $0.map(\.display).joined(separator: "&") } ?? ""
        return
            "\(method) \(origin)\(path)\(items.isEmpty ? "" : "?" + items)\(sent.prefix(RequestKey.quotedBytesMax))"
    }
}
