/// Where a server listens and what its clients may use up: the options of `serve` that concern connections.
public struct ServingOptions: Sendable {
    public var listen: [ServingAddress]
    /// The files with the certificate chain and its key, in PEM; nil without TLS on TCP. A Unix domain socket never
    /// has TLS.
    public var tls: (certificate: String, key: String)?
    /// Whether addresses that other machines reach may be listened on: there is a token, and TLS or a declared reverse
    /// proxy.
    public var allowsRemote = false
    /// Connections at the same time; further ones are answered with 503.
    public var connectionsMax = 4_096
    /// The size in bytes of a request's line and fields together.
    public var headBytesMax = 32 << 10
    /// The size in bytes of a request's body.
    public var bodyBytesMax = 16 << 20
    /// Seconds from a request's first byte until its head is complete.
    public var headSeconds = 10
    /// Seconds that a client may send nothing of a body, or read nothing of an answer.
    public var stallSeconds = 20
    /// Seconds that a connection stays open without a request.
    public var idleSeconds = 75
    /// Seconds that ``Serving/stop()`` waits for requests that had begun.
    public var stopSeconds = 10

    public init(listen: [ServingAddress]) { self.listen = listen }
}

extension ServingOptions {
    /// The options of `serve` that concern connections; what `PluginOption.serving` lists.
    ///
    /// - Throws: `invalidConfiguration` for an address that cannot be listened on, or half of a certificate.
    public init(
        _ settings: Settings, environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        let texts = (settings.text("listen") ?? Self.listenDefault).split(separator: ",")
        do throws(ServingFault) {
            var addresses: [ServingAddress] = []
            for text in texts {
                addresses.append(try ServingAddress(text.trimmingSpaces, environment: environment))
            }
            self.init(listen: addresses)
        } catch {
            throw settings.error("listen", error.problem)
        }
        guard !listen.isEmpty else { throw settings.error("listen", "names no address") }
        switch (settings.text("certificate"), settings.text("key")) {
        case (let certificate?, let key?): tls = (certificate, key)
        case (nil, nil): tls = nil
        case (_?, nil): throw settings.error("certificate", "needs serve.key, the file with its private key")
        case (nil, _?): throw settings.error("key", "needs serve.certificate, the file with its certificate")
        }
        let isBehindProxy = try settings.boolean("behind-proxy") ?? false
        allowsRemote = settings.text("token") != nil && (tls != nil || isBehindProxy)
        connectionsMax = try settings.integer("connections-max") ?? connectionsMax
        bodyBytesMax = try settings.integer("body-mib-max").map { $0 << 20 } ?? bodyBytesMax
        idleSeconds = try settings.integer("idle-seconds") ?? idleSeconds
    }

    /// The value of `serve.listen` when it is not set.
    public static let listenDefault = "unix:${XDG_RUNTIME_DIR}/patchbay.sock"
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
