import NetworkingRecording
public import PatchbayCore
public import PatchbayDomain
import PatchbayNetworking

extension Plugin where Product == ConfiguredSource {
    /// Answers from recorded HTTP exchanges instead of the network, of any API whose hosts one of `apis` knows.
    public static func recorded(apis: [SourceAPI]) -> Plugin<ConfiguredSource> {
        Plugin(
            "recorded", "Answers from recorded HTTP exchanges (HAR 1.2); never touches a network.",
            options: [
                PluginOption(
                    "path", .path, default: "${\(BundledRecordings.variable)}/sample.har",
                    "a HAR file, or a folder with some; the sample that comes with Patchbay when not set")
            ]
        ) { settings in ConfiguredSource { _ in try open(settings, apis) } }
    }

    private static func open(_ settings: Settings, _ apis: [SourceAPI]) throws -> Source {
        let recording = try Recording.open(try settings.requiredText("path"))
        for host in recording.hosts {
            guard let api = apis.first(where: { $0.isSpoken(host) }) else { continue }
            var source = api.open(recording.layered(Redirects()), "https://\(host)")
            source.name += ", recorded in \(recording.name)"
            return source
        }
        let hosts = recording.hosts.prefix(3).joined(separator: ", ")
        throw settings.error(
            "path",
            "the recording holds exchanges with \(hosts), whose API no source speaks "
                + "(known: \(apis.map(\.name).joined(separator: ", "))); choose another recording")
    }
}
