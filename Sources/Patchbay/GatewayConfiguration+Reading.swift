import PatchbayCore
public import PatchbayGateway

extension ConfigurationKind {
    /// How everything is read.
    static let reading = ConfigurationKind(
        "reading",
        [
            PluginOption(
                "policy", .choice(Policy.allCases.map(\.rawValue)), default: Policy.localFirst.rawValue,
                "whether and when the source is asked: local-first, what is stored and then the source; "
                    + "local-only, never; remote-first, the source, and what is stored if that fails; "
                    + "refresh, the source without conditions"
            )
        ])

    /// How rows are listed.
    static let list = ConfigurationKind(
        "list",
        [
            PluginOption(
                "limit", .integer(1 ... .max), default: "20", "how many rows a list shows at a time"),
            PluginOption(
                "maximum", .integer(1 ... .max),
                "how many rows a list has at most from its start; no limit when not set"),
        ])
}

extension GatewayConfiguration {
    /// Whether and when the source is asked, as `reading.policy` says. For the callers of use cases: each takes its
    /// policy as an argument.
    public func policy() throws -> Policy {
        try settings("reading").text("policy").flatMap(Policy.init) ?? .localFirst
    }

    /// How many rows a list shows at a time (`list.limit`).
    public func listLimit() throws -> Int { try settings("list").integer("limit") ?? 20 }

    /// How many rows a list has at most from its start (`list.maximum`); nil for no limit.
    public func listMaximum() throws -> Int? { try settings("list").integer("maximum") }
}
