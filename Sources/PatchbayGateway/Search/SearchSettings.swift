package import PatchbayCore

/// How much searches remember; the keys `search.…` of a configuration.
public struct SearchSettings: Sendable {
    /// The number of recent searches kept, 0 to 1,000.
    public var recentMax = 20
    /// The time for which a search that found nothing is not sent again; zero to always send it.
    public var denialLifetime = Duration.seconds(3_600)
    /// The time for which a text must stay unchanged before a ``SearchSession`` searches it.
    public var debounce = Duration.milliseconds(500)

    /// Creates settings with the default values.
    public init() {}

    /// - Throws: `invalidConfiguration`.
    package init(_ settings: Settings) throws {
        if let count = try settings.integer("recent-max") { recentMax = count }
        if let seconds = try settings.integer("deny-seconds") { denialLifetime = .seconds(seconds) }
        if let delay = try settings.integer("debounce-milliseconds") { debounce = .milliseconds(delay) }
    }

    /// The keys, without the prefix `search.`.
    package static let options = [
        PluginOption(
            "recent-max", .integer(0...1_000), default: "20",
            "how many recent searches are kept; 0 keeps none"),
        PluginOption(
            "deny-seconds", .integer(0...31_536_000), default: "3600",
            "how long a search that found nothing is not sent again, in seconds; 0 always sends it"),
        PluginOption(
            "debounce-milliseconds", .integer(0...60_000), default: "500",
            "how long a text must stay unchanged before an interactive search sends it"),
    ]
}
