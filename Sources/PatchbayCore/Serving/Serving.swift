/// Listens for clients, passes their requests to a responder and returns its answers. This is the protocol that a
/// serving plugin implements.
public protocol Serving: Sendable {
    /// Listens and answers until ``stop()`` is called and every request in progress is answered.
    ///
    /// - Parameter listening: called once, when connections are accepted, with the addresses in the form of
    ///   `serve.listen`; a port chosen by the system is filled in.
    /// - Throws: `busy` when another process listens on an address; `permissionDenied`; `invalidConfiguration` when an
    ///   address or a certificate cannot be used, or when an address is open to other machines without protection.
    func run(
        _ responder: any Responder, listening: @escaping @Sendable (_ addresses: [String]) -> Void
    ) async throws

    /// Accepts no more connections and closes idle ones. Requests in progress are answered within
    /// a few seconds. A second call does nothing.
    func stop() async
}

/// The addresses on which a server listens and the limits of its clients: the options of `serve` for connections.
package struct ServingOptions: Sendable {
    /// The addresses on which the server listens; at least one.
    package var listen: [ServingAddress]
    /// The files with the certificate chain and its key, in PEM; nil without TLS on TCP. A Unix domain socket never
    /// uses TLS.
    package var tls: (certificate: String, key: String)?
    /// Whether the server may listen on addresses that other machines can reach: it has a token, and TLS or a declared
    /// reverse proxy.
    package var allowsRemote = false
    /// The maximum number of simultaneous connections, which clients share as in ``ClientShares``; further ones are
    /// answered with 503.
    package var connectionsMax = 4_096
    /// The maximum size of a request's line and header fields together, in bytes.
    package var headBytesMax = 32 << 10
    /// The maximum size of a request's body, in bytes.
    package var bodyBytesMax = 16 << 20
    /// The minimum speed of a request's body after the first `stallSeconds`, in bytes per second.
    package var bodyBytesPerSecondMin = 16 << 10
    /// The maximum size of the bodies of all requests that are read or answered, in bytes, which clients share as in
    /// ``ClientShares``.
    package var bodiesBytesMax = 64 << 20
    /// The maximum size of the large answers that are being sent, apart from those that are produced meanwhile, in
    /// bytes, which clients share as in ``ClientShares``.
    package var answersBytesMax = 256 << 20
    /// The maximum time from a request's first byte until its head is complete, in seconds.
    package var headSeconds = 10
    /// The maximum time in which a client sends nothing of a body or reads nothing of an answer, in seconds.
    package var stallSeconds = 20
    /// The maximum time that a connection stays open without a request, in seconds.
    package var idleSeconds = 75
    /// The maximum time that ``Serving/stop()`` waits for requests in progress, in seconds.
    package var stopSeconds = 10

    /// Whether an address is one of TCP. The sockets of systemd are not known before they are opened.
    package var isOnTCP: Bool { listen.contains { if case .tcp = $0 { true } else { false } } }

    /// Creates options with the default limits, without TLS and for this machine only.
    package init(listen: [ServingAddress]) { self.listen = listen }
}

extension ServingOptions {
    /// Reads the options of `serve` for connections, which `PluginOption.serving` lists.
    ///
    /// - Throws: `invalidConfiguration` for an invalid address, or a certificate without a key or the reverse.
    package init(
        _ settings: Settings, environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        let texts = (settings.text("listen") ?? Self.listenDefault).split(separator: ",")
        do throws(ServingFault) {
            var addresses: [ServingAddress] = []
            for text in texts {
                addresses.append(try ServingAddress(String(text.trimmingSpace), environment: environment))
            }
            self.init(listen: addresses)
        } catch {
            throw settings.error("listen", error.problem)
        }
        guard !listen.isEmpty else { throw settings.error("listen", "contains no address") }
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
        bodiesBytesMax = max(bodiesBytesMax, 2 * bodyBytesMax)
        idleSeconds = try settings.integer("idle-seconds") ?? idleSeconds
    }

    /// The value of `serve.listen` when it is not set.
    package static let listenDefault = "unix:${XDG_RUNTIME_DIR}/patchbay.sock"
}
