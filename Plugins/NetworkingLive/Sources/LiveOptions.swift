#if Live
/// Limits and permissions of ``LiveNetworking``.
package struct LiveOptions: Sendable {
    /// The maximum time to establish a connection, in seconds, including name resolution and TLS.
    package var connectTimeoutSeconds = 10
    /// The maximum silence of a server that must answer, in seconds.
    package var idleTimeoutSeconds = 15
    /// The maximum time of an exchange, in seconds, from the call to the last byte of the answer.
    package var timeoutSeconds = 60
    /// The maximum size of an answer's body in MiB, both as sent and inflated.
    package var bodyMiBMax = 64
    /// The maximum number of concurrent HTTP/1.1 connections to a host; further requests wait.
    package var connectionsMax = 8
    /// The proxy that connections go through; none unless set.
    package var proxy = ProxyChoice.none
    /// A PEM file of certificates to trust in addition to the system's.
    package var certificateFile: String?
    /// Whether plain http to other machines is allowed.
    package var allowsPlainHTTP = false

    var bodyBytesMax: Int { bodyMiBMax << 20 }

    /// Creates options with the default limits, without a proxy and without plain http.
    package init() {}
}
#endif
