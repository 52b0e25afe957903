#if Live
public import PatchbayCore

extension Plugin where Product == any Networking {
    /// The network.
    ///
    /// - Parameter environment: where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked up; of this process when
    ///   not given.
    public static func live(
        environment: @escaping @Sendable () -> [String: String] = { ProcessEnvironment.variables }
    ) -> Plugin<any Networking> {
        Plugin("live", "HTTP/1.1 and HTTP/2 over TLS", options: options) { settings in
            try LiveNetworking(try LiveOptions(settings, environment: environment()))
        }
    }

    private static var options: [PluginOption] {
        let usual = LiveOptions()
        return [
            PluginOption(
                "connect-timeout-seconds", .integer(1...600), default: "\(usual.connectTimeoutSeconds)",
                "seconds until a connection must stand, TLS included"),
            PluginOption(
                "idle-timeout-seconds", .integer(1...600), default: "\(usual.idleTimeoutSeconds)",
                "seconds that a server may send nothing"),
            PluginOption(
                "timeout-seconds", .integer(1...3600), default: "\(usual.timeoutSeconds)",
                "seconds for a whole answer, to its last byte"),
            PluginOption(
                "body-mib-max", .integer(1...1024), default: "\(usual.bodyMiBMax)",
                "the size in MiB that an answer's body may have, inflated"),
            PluginOption(
                "connections-max", .integer(1...64), default: "\(usual.connectionsMax)",
                "how many connections a host gets at the same time over HTTP/1.1"),
            PluginOption(
                "proxy", .text, default: "environment",
                "environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), none, or an address such as http://host:3128"
            ),
            PluginOption(
                "ca-file", .path,
                "a PEM file of certificates to trust besides the system's; none when not set"),
            PluginOption(
                "allow-plain-http", .boolean, default: "false",
                "whether hosts other than this machine may be asked without encryption"),
        ]
    }
}

extension LiveOptions {
    /// - Throws: `invalidConfiguration` when an option does not have its type.
    fileprivate init(_ settings: Settings, environment: [String: String]) throws {
        self.init()
        connectTimeoutSeconds = try settings.integer("connect-timeout-seconds") ?? connectTimeoutSeconds
        idleTimeoutSeconds = try settings.integer("idle-timeout-seconds") ?? idleTimeoutSeconds
        timeoutSeconds = try settings.integer("timeout-seconds") ?? timeoutSeconds
        bodyMiBMax = try settings.integer("body-mib-max") ?? bodyMiBMax
        connectionsMax = try settings.integer("connections-max") ?? connectionsMax
        certificateFile = settings.text("ca-file")
        allowsPlainHTTP = try settings.boolean("allow-plain-http") ?? allowsPlainHTTP
        proxy = try ProxyChoice(settings, environment)
    }
}

extension ProxyChoice {
    fileprivate init(_ settings: Settings, _ environment: [String: String]) throws {
        switch settings.text("proxy") {
        case nil, "environment": self = .environment(environment)
        case "none": self = .none
        case let text?:
            guard let address = ProxyAddress(text), !address.hasCredentials else {
                // The value is not shown: it may hold a password.
                throw PatchbayError(
                    .invalidConfiguration,
                    "networking.proxy must be environment, none, or an address such as http://host:3128; "
                        + "one with a name and a password stands in HTTPS_PROXY")
            }
            self = .always(address)
        }
    }
}
#endif
