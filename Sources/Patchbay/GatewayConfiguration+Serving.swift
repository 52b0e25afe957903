public import PatchbayCore

extension ConfigurationKind {
    /// How other programs are served.
    static let serving = ConfigurationKind(
        "serve",
        [
            PluginOption(
                "listen", .text, default: ServingOptions.listenDefault,
                "where to listen: unix:PATH, HOST:PORT or systemd; several with commas between them"),
            PluginOption(
                "token", .secret,
                "what every client must send, as Authorization: Bearer, as the password of Basic, or as "
                    + "Patchbay-Token; asks for none when not set"),
            PluginOption(
                "certificate", .path, "a file with a certificate chain in PEM: TCP is served with TLS then"),
            PluginOption("key", .path, "a file with the private key of serve.certificate, in PEM"),
            PluginOption(
                "behind-proxy", .boolean, default: "false",
                "whether a reverse proxy on the way adds TLS; with serve.token it allows addresses that other "
                    + "machines reach"),
            PluginOption(
                "allow-host", .text,
                "further names that clients may call this server by, with commas between them: NAME or NAME:PORT"
            ),
            PluginOption(
                "allow-origin", .text,
                "web pages that may read answers and ask for changes, with commas between them: "
                    + "https://app.example.org"),
            PluginOption(
                "cache-mib-max", .integer(1...65_536), default: "256",
                "MiB of answers of the source's API that the storage keeps; the least recently used go first"),
            PluginOption(
                "freshness", .choice(["as-sent", "revalidate"]), default: "as-sent",
                "when a kept answer is used without a request: as-sent, as long as the server allows; revalidate, "
                    + "never, every use is confirmed"),
            PluginOption(
                "rewrite", .choice(["bodies", "links", "nothing"]), default: "bodies",
                "where addresses of the source's server are replaced by this server's: bodies, in JSON and in "
                    + "header fields; links, in header fields; nothing"),
            PluginOption(
                "connections-max", .integer(1...100_000), default: "4096", "connections at the same time"),
            PluginOption(
                "body-mib-max", .integer(1...64), default: "16", "MiB of a request's body"),
            PluginOption(
                "idle-seconds", .integer(1...86_400), default: "75",
                "seconds that a connection stays open without a request"),
        ])
}

extension GatewayConfiguration {
    /// The options of `serve`, secrets read.
    public func servingSettings() async throws -> Settings { try await settingsOnThread("serve") }

    /// Opens the serving plugin: what brings requests from the wire.
    ///
    /// - Throws: `unsupported` when the program has none.
    public func openServing() async throws -> any Serving {
        guard let plugin = plugins.servings.plugins.first else {
            throw PatchbayError(
                .unsupported,
                "this program has no serving plugin; build it with the trait Live, or add one to its PluginSet"
            )
        }
        return try await plugin.open(try await servingSettings())
    }
}
