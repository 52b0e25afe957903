import HTTPTypes

/// What two requests must share to be the same request.
///
/// Scheme, host, port and path must be equal, each in its one spelling; query items and form parameters may
/// come in any order; the fragment and credentials do not count.
struct RequestKey: Hashable, Sendable {
    let method: String
    /// `https://api.github.com`: in small letters, without the port that the scheme implies.
    let origin: String
    let path: String
    var query: [QueryItem]
    /// See ``RequestBody/digest``.
    var bodyDigest: Int?

    /// - Parameter url: an absolute URL with a host; the key of any other is nil.
    init?(method: String, url: String, body: RequestBody) {
        guard let schemeEnd = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<schemeEnd.lowerBound]
        let rest = url[schemeEnd.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !scheme.isEmpty, !authority.isEmpty else { return nil }
        self.init(method, scheme, authority, rest[authority.endIndex...], body)
    }

    init(_ request: HTTPRequest, body: [UInt8]) {
        self.init(
            request.method.rawValue, request.scheme ?? "https",
            request.authority ?? "", request.path ?? "/",
            RequestBody(body, mediaType: request.headerFields[.contentType] ?? ""))
    }

    private init(
        _ method: String, _ scheme: some StringProtocol, _ authority: some StringProtocol,
        _ target: some StringProtocol, _ body: RequestBody
    ) {
        self.method = method
        origin = RequestKey.origin(scheme.lowercased(), authority.lowercased())
        let target = target.prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let canonical = segments.map { PercentEncoding.canonical($0) }.joined(separator: "/")
        self.path = canonical.isEmpty ? "/" : canonical
        query = QueryItem.items(of: target[path.endIndex...].dropFirst())
        bodyDigest = body.digest
    }

    /// Without user and password, and without the port that the scheme implies.
    private static func origin(_ scheme: String, _ authority: String) -> String {
        var host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        for port in [":", scheme == "https" ? ":443" : ":80"] where host.hasSuffix(port) {
            host = host.dropLast(port.utf8.count)
        }
        return "\(scheme)://\(host)"
    }
}

extension RequestKey {
    /// The host without its port.
    var host: String {
        let authority = origin[origin.firstRange(of: "://")!.upperBound...]
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return String(authority)
        }
        return String(authority[..<colon])
    }

    /// The key without some query items.
    func dropping(_ names: Set<String>) -> RequestKey {
        var key = self
        key.query.removeAll { names.contains($0.name) }
        return key
    }

    /// The key of a recorded request whose body was not recorded.
    var withoutBody: RequestKey {
        var key = self
        key.bodyDigest = nil
        return key
    }

    /// The request for messages, such as `GET https://api.github.com/users?since=46`, without secrets.
    var description: String {
        let items = query.map(\.display).joined(separator: "&")
        return "\(method) \(origin)\(path)\(items.isEmpty ? "" : "?" + items)"
    }
}
