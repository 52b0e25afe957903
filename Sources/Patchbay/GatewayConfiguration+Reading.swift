import PatchbayCore
package import PatchbayGateway

extension ConfigurationKind {
    /// The options for reading.
    static let reading = ConfigurationKind(
        "reading",
        [
            PluginOption(
                "policy", .choice(Policy.allCases.map(\.rawValue)), default: Policy.localFirst.rawValue,
                "when requests are sent: local-first (after stored rows are returned), local-only (never), "
                    + "remote-first (before; stored rows are returned only if that fails), "
                    + "refresh (like remote-first, but unconditionally)"
            )
        ])

    /// The options for lists.
    static let list = ConfigurationKind(
        "list",
        [
            PluginOption(
                "limit", .integer(1 ... .max), default: "20", "the number of rows that a list shows at a time"
            ),
            PluginOption(
                "maximum", .integer(1 ... .max),
                "the maximum number of rows of a list from its start; no limit when not set"),
        ])
}

extension GatewayConfiguration {
    /// When requests are sent to the source, according to `reading.policy`. Each use case takes its policy as an
    /// argument.
    package func policy() throws -> Policy {
        try settings("reading").text("policy").flatMap(Policy.init) ?? .localFirst
    }

    /// The number of rows that a list shows at a time (`list.limit`).
    package func listLimit() throws -> Int { try settings("list").integer("limit") ?? 20 }

    /// The maximum number of rows of a list from its start (`list.maximum`); nil for no limit.
    package func listMaximum() throws -> Int? { try settings("list").integer("maximum") }
}
