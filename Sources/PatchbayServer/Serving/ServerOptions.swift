public import PatchbayCore

/// Who may ask a server what: the options of `serve` that do not concern connections.
public struct ServerOptions: Sendable {
    /// What clients over TCP must show; nil asks for nothing.
    public var token: String?
    /// Further names of the server, in small letters: `NAME`, with any port, or `NAME:PORT`.
    public var hosts: Set<String> = []
    /// The web pages that may read answers and ask for changes: `https://app.example.org`.
    public var origins: Set<String> = []
    public var proxy = ProxyOptions()

    public init() {}
}

/// What the proxy keeps and how it changes answers.
public struct ProxyOptions: Sendable {
    /// Where addresses of the source's server are replaced by this server's.
    public enum Rewriting: String, Sendable, CaseIterable {
        /// In header fields and in the texts of JSON bodies.
        case bodies
        /// In header fields.
        case links
        case nothing
    }

    /// The bytes of answers that the storage keeps.
    public var cacheBytesMax = 256 << 20
    /// Whether every use of a kept answer is confirmed by the source's server.
    public var confirmsAlways = false
    public var rewriting = Rewriting.bodies
    /// Whether clients call this server through a reverse proxy that adds TLS, so that its addresses begin with https.
    public var isBehindProxy = false

    public init() {}
}

extension ServerOptions {
    /// The shortest token, in characters: of random letters and digits it cannot be guessed.
    static let tokenLengthMin = 16

    /// - Throws: `invalidConfiguration` for a value that cannot be used.
    public init(_ settings: Settings) throws {
        self.init()
        token = settings.text("token")
        if let token,
            token.utf8.count < Self.tokenLengthMin || !token.utf8.allSatisfy({ (0x21...0x7E) ~= $0 })
        {
            throw settings.error(
                "token",
                "must have at least \(Self.tokenLengthMin) characters, all of them letters, digits or signs")
        }
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
        proxy.rewriting = settings.text("rewrite").flatMap(ProxyOptions.Rewriting.init) ?? .bodies
    }
}

extension Settings {
    fileprivate func list(_ key: String) -> [String] {
        (text(key) ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    }
}
