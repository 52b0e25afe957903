public import PatchbayCore

extension ConfigurationKind {
    /// The options for serving other programs.
    static let serving = ConfigurationKind(
        "serve",
        [
            PluginOption(
                "listen", .text, default: ServingOptions.listenDefault,
                "the addresses to listen on, separated by commas: unix:PATH, HOST:PORT or systemd"),
            PluginOption(
                "token", .secret,
                "the token that every client must send, as Authorization: Bearer, as the password of Basic, or as "
                    + "Patchbay-Token; when not set, only paths below /-/ need one, and only if a source has a token"
            ),
            PluginOption(
                "certificate", .path, "a file with a certificate chain in PEM, to use TLS on TCP"),
            PluginOption("key", .path, "a file with the private key of serve.certificate, in PEM"),
            PluginOption(
                "behind-proxy", .boolean, default: "false",
                "whether a reverse proxy in front of the server adds TLS; with serve.token it allows "
                    + "addresses that other machines reach"),
            PluginOption(
                "allow-host", .text,
                "further names of this server that clients may use, separated by commas: NAME or NAME:PORT"
            ),
            PluginOption(
                "allow-origin", .text,
                "the origins of web pages that may read answers and request changes, separated by commas: "
                    + "https://app.example.org"),
            PluginOption(
                "cache-mib-max", .integer(1...65_536), default: "256",
                "the maximum size in MiB of stored answers of the source's API; the least recently used "
                    + "are deleted first"),
            PluginOption(
                "freshness", .choice(["as-sent", "revalidate"]), default: "as-sent",
                "when a stored answer is used without a request: as-sent (as long as the server allows), "
                    + "revalidate (never, because every use is confirmed)"),
            PluginOption(
                "cache-ignores", .text,
                "further header fields of requests that never separate the answers of clients, such as a new number in "
                    + "each request, separated by commas or spaces; never a field that carries credentials"),
            PluginOption(
                "rewrite", .choice(["bodies", "links", "nothing"]), default: "bodies",
                "where addresses of the source's server are replaced by this server's: bodies, in JSON and in "
                    + "header fields; links, in header fields; nothing"),
            PluginOption(
                "connections-max", .integer(1...100_000), default: "4096",
                "the maximum number of simultaneous connections; a part is kept for Unix domain sockets"),
            PluginOption(
                "body-mib-max", .integer(1...64), default: "16", "the maximum size of a request's body in MiB"
            ),
            PluginOption(
                "idle-seconds", .integer(1...86_400), default: "75",
                "seconds that a connection stays open without a request"),
        ])

    /// The rights and budgets of clients of `serve`.
    static let clients = ConfigurationKind(
        "serve.client",
        [
            PluginOption(
                "token", .secret, "the token by which the server knows the client; required for each client"),
            PluginOption(
                "resources", .text,
                "the resources that the client sees, separated by spaces, perhaps with their fields: github.repos "
                    + "github.issues:title,state; everything when not set"),
            PluginOption(
                "owner", .choice(["on", "off"]), default: "off",
                "whether the client sees and may change edits, favourites and searches of the owner"),
            PluginOption(
                "requests", .text,
                "the number of requests to sources that the client's calls may cause, such as 500/hour or 2000/day"
            ),
            PluginOption(
                "bytes", .text, "the size of all answers to the client, such as 5MB/hour or 200KB/day"),
        ], takesNames: true)
}

extension GatewayConfiguration {
    /// The options of `serve`, with secrets read.
    public func servingSettings() async throws -> Settings { try await settingsOnThread("serve") }

    /// The options of `serve` with empty texts for secrets, which are not read.
    ///
    /// - Throws: `invalidConfiguration` for the fault for which the plugin could not be opened, if an address or a
    ///   certificate is set.
    package func checkedServingSettings() throws -> Settings {
        let settings = try settings("serve", readsSecrets: false)
        let isSet = configuration.entries.contains {
            ["serve.listen", "serve.certificate", "serve.key"].contains($0.key)
                && $0.value.origin != .defaultValue
        }
        if isSet { _ = try ServingOptions(settings, environment: environment) }
        return settings
    }

    /// Opens the serving plugin, which receives requests from clients.
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

extension ConfigurationKind {
    /// The limits of answers to agents, over standard input and output and over HTTP.
    static let agents = ConfigurationKind(
        "mcp",
        [
            PluginOption(
                "answer-bytes", .integer(1_000...1_000_000), default: "24000",
                "the maximum size of an answer's rows in bytes of JSON; longer answers are cut at whole rows"),
            PluginOption(
                "refresh-requests", .integer(1...100_000), default: "20",
                "the number of requests above which a refresh answers its plan first"),
        ])
}

extension GatewayConfiguration {
    /// The limits of answers to agents.
    package func agentSettings() async throws -> Settings { try await settingsOnThread("mcp") }
}
