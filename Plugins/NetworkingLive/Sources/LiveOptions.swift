#if Live
/// What ``LiveNetworking`` may do and how long it may take.
public struct LiveOptions: Sendable {
    /// Seconds until a connection must stand, name look-up and TLS included.
    public var connectTimeoutSeconds = 10
    /// Seconds that a server may send nothing while an answer is awaited.
    public var idleTimeoutSeconds = 15
    /// Seconds for a whole exchange, from the call to the last byte of the answer.
    public var timeoutSeconds = 60
    /// The size in MiB that an answer's body may have, as sent and inflated.
    public var bodyMiBMax = 64
    /// How many connections one host gets at the same time over HTTP/1.1; further requests wait.
    public var connectionsMax = 8
    public var proxy = ProxyChoice.none
    /// A file of certificates in PEM that are trusted besides the system's.
    public var certificateFile: String?
    /// Whether other hosts than this machine may be asked without encryption.
    public var allowsPlainHTTP = false

    var bodyBytesMax: Int { bodyMiBMax << 20 }

    public init() {}
}
#endif
