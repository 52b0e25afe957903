package import HTTPTypes
public import PatchbayCore
package import PatchbayDomain

/// The options of `serve` that do not concern connections: access rights and the proxy.
public struct ServerOptions: Sendable {
    /// The token that clients over TCP must send; nil requires none. If the server has credentials of a source, its own
    /// API is then closed to them.
    public var token: String?
    /// Whether clients without the token may send requests to the source's API, without its credentials.
    package var isProxyOpen = false
    /// Further names of the server, in lower case: `NAME` for any port, or `NAME:PORT`.
    public var hosts: Set<String> = []
    /// The origins of web pages that may read answers and make changes: `https://app.example.org`.
    public var origins: Set<String> = []
    /// The clients with tokens of their own.
    package var clients: [ClientOptions] = []
    /// The limits of answers to agents.
    package var agents = MCPOptions()
    package var proxy = ProxyOptions()

    /// Creates options that require no token and allow no further hosts or origins.
    public init() {}
}

/// The cache limits of the proxy, and its changes to answers.
package struct ProxyOptions: Sendable {
    /// The parts of answers in which addresses of the source's server are replaced by this server's.
    package enum Rewriting: String, Sendable, CaseIterable {
        /// Header fields and strings in JSON bodies.
        case bodies
        /// Header fields.
        case links
        /// Addresses stay as the source's server sent them.
        case nothing
    }

    /// The maximum size of stored answers, in bytes.
    package var cacheBytesMax = 256 << 20
    /// Whether the source's server must confirm every use of a stored answer.
    package var confirmsAlways = false
    /// The parts of answers in which addresses are rewritten.
    package var rewriting = Rewriting.bodies
    /// Further fields of requests that never separate the answers of clients.
    package var ignoredFields: [HTTPField.Name] = []
    /// Whether clients reach this server through a reverse proxy that adds TLS, so that its addresses start with https.
    package var isBehindProxy = false

    /// Creates options with a cache of 256 MiB.
    package init() {}
}

extension ServerOptions {
    /// The minimum length of a token, in characters. A random token of this length cannot be guessed.
    static let tokenLengthMin = 16

    /// Returns why a text cannot be a token, or nil.
    static func fault(ofToken token: String) -> String? {
        token.utf8.count >= tokenLengthMin && token.isVisibleASCII
            ? nil
            : "must have at least \(tokenLengthMin) characters, all of them visible ASCII characters"
    }

    /// - Throws: `invalidConfiguration` for an invalid value.
    public init(_ settings: Settings) throws {
        try self.init(besidesTokens: settings)
        token = settings.text("token")
        if let fault = token.flatMap(Self.fault) { throw settings.error("token", fault) }
        clients = try ClientOptions.all(settings, besides: token)
    }

    /// The faults of options whose secrets were not read.
    ///
    /// - Parameter resources: the resources that can be served, with their names.
    package static func faults(
        _ settings: Settings, among resources: [(name: String, resource: Resource)]
    ) -> [PatchbayError] {
        var faults: [PatchbayError] = []
        do { _ = try ServerOptions(besidesTokens: settings) } catch {
            faults += [error as? PatchbayError].compactMap(\.self)
        }
        return faults + ClientOptions.faults(settings, among: resources)
    }

    private init(besidesTokens settings: Settings) throws {
        self.init()
        hosts = Set(settings.list("allow-host").map { $0.lowercased() })
        if let wrong = hosts.sorted().first(where: { $0.contains("/") || $0.contains("*") }) {
            throw settings.error("allow-host", "\"\(wrong)\" must be NAME or NAME:PORT")
        }
        origins = Set(settings.list("allow-origin").map { $0.lowercased() })
        if let wrong = origins.sorted().first(where: { HTTPAddress($0)?.origin != $0 }) {
            throw settings.error("allow-origin", "\"\(wrong)\" must be http(s)://NAME or http(s)://NAME:PORT")
        }
        proxy.cacheBytesMax = (try settings.integer("cache-mib-max") ?? 256) << 20
        proxy.confirmsAlways = settings.text("freshness") == "revalidate"
        proxy.isBehindProxy = try settings.boolean("behind-proxy") ?? false
        proxy.ignoredFields = try settings.list("cache-ignores").map { word in
            guard let name = HTTPField.Name(word) else {
                throw settings.error("cache-ignores", "\"\(word)\" is not the name of a header field")
            }
            return name
        }
        proxy.rewriting = settings.text("rewrite").flatMap(ProxyOptions.Rewriting.init) ?? .bodies
    }
}

extension Settings {
    fileprivate func list(_ key: String) -> [String] {
        (text(key) ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    }
}
