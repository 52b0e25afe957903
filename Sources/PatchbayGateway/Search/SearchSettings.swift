public import PatchbayCore

/// How much searches remember; the keys `search.…` of a configuration.
public struct SearchSettings: Sendable {
    /// How many recent searches are kept, 0 to 1,000; 0 keeps none.
    public var recentMax = 20
    /// How long a search that found nothing is not asked again; zero always asks.
    public var denialLifetime = Duration.seconds(3_600)
    /// How long a text stays unchanged before a ``SearchSession`` searches it.
    public var debounce = Duration.milliseconds(500)

    public init() {}

    /// - Throws: `invalidConfiguration`.
    public init(_ settings: Settings) throws {
        if let count = try settings.integer("recent-max") { recentMax = count }
        if let seconds = try settings.integer("deny-seconds") { denialLifetime = .seconds(seconds) }
        if let delay = try settings.integer("debounce-milliseconds") { debounce = .milliseconds(delay) }
    }

    /// The keys, without `search.` in front.
    public static let options = [
        PluginOption(
            "recent-max", .integer(0...1_000), default: "20",
            "how many recent searches are kept; 0 keeps none"),
        PluginOption(
            "deny-seconds", .integer(0...31_536_000), default: "3600",
            "how long a search that found nothing is not asked again, in seconds; 0 always asks"),
        PluginOption(
            "debounce-milliseconds", .integer(0...60_000), default: "500",
            "how long a text stays unchanged before an interactive search asks for it"),
    ]
}
