import PatchbayCore

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
