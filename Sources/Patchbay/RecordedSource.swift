import NetworkingRecording
public import PatchbayCore
public import PatchbayDomain
import PatchbayNetworking

extension Plugin where Product == ConfiguredSource {
    /// Answers from recorded HTTP exchanges instead of the network, for any API whose hosts are known to one of `apis`.
    /// If a recording contains several APIs, that of the first exchange is used.
    public static func recorded(apis: [SourceAPI]) -> Plugin<ConfiguredSource> {
        Plugin(
            "recorded", "recorded HTTP exchanges (HAR 1.2) instead of a network",
            options: [
                PluginOption(
                    "path", .path, default: "${\(BundledRecordings.variable)}/sample.har",
                    "a HAR file, or a folder of HAR files; the bundled sample when not set"),
                PluginOption(
                    "base-url", .text,
                    "the recorded server, if its address does not identify its API: https://HOST/api/v3"
                ),
            ]
        ) { settings in
            ConfiguredSource(resources: resources(settings, apis)) { _ in try open(settings, apis) }
        }
    }

    /// The resources of all APIs, beginning with the API of the recording.
    private static func resources(_ settings: Settings, _ apis: [SourceAPI]) -> [SourceResources] {
        var apis = apis
        // A recording that cannot be read is reported when it is opened.
        if let recorded = try? api(settings, apis),
            let place = apis.firstIndex(where: { $0.name == recorded.name })
        {
            apis.insert(apis.remove(at: place), at: 0)
        }
        let known = apis
        return known.enumerated().map { place, api in
            SourceResources(api, at: place == 0 ? recordedAddress(settings, known) : nil)
        }
    }

    /// The address of the recorded API; nil when the recording cannot be read, which is reported when it is opened.
    private static func recordedAddress(_ settings: Settings, _ apis: [SourceAPI]) -> String? {
        // Reported when it is opened.
        guard let recording = try? Recording.open(settings.requiredText("path")) else { return nil }
        // A recording of an unknown API is also reported then.
        return try? server(of: recording, settings, apis).baseURL
    }

    private static func open(_ settings: Settings, _ apis: [SourceAPI]) throws -> Source {
        let recording = try Recording.open(try settings.requiredText("path"))
        guard recording.entryCount > 0 else {
            throw settings.error(
                "path",
                "the recording contains no exchanges; record some, or choose another")
        }
        let (api, baseURL) = try server(of: recording, settings, apis)
        let replay = api.definition.ignoresCase ? recording.ignoringCase() : recording
        var source = api.open(replay.layered(CleanedRequests(), Redirects()), baseURL)
        // No server has to be protected from too many requests.
        source.concurrency = 8
        source.name += ", recorded in \(recording.name)"
        source.recording = recording.name
        source.upstream = Upstream(baseURL: baseURL, networking: replay.layered(CleanedRequests()))
        source.upstream?.pathAlias = api.pathAlias
        return source
    }

    /// The API of `source.base-url`, otherwise of the first exchange whose host one of them knows; nil when there is
    /// none.
    private static func api(_ settings: Settings, _ apis: [SourceAPI]) throws -> SourceAPI? {
        if let baseURL = settings.text("base-url") {
            let host = HTTPAddress(baseURL)?.authority ?? ""
            return apis.first { $0.definition.isSpoken(by: host) } ?? apis.first
        }
        var api: SourceAPI?
        _ = try Recording.firstHost(in: settings.requiredText("path")) { host in
            api = apis.first { $0.definition.isSpoken(by: host) }
            return api != nil
        }
        return api
    }

    private static func server(
        of recording: Recording, _ settings: Settings, _ apis: [SourceAPI]
    ) throws -> (api: SourceAPI, baseURL: String) {
        let hosts = recording.hosts.prefix(3).joined(separator: ", ")
        let api = try api(settings, apis)
        if let baseURL = settings.text("base-url"), let api {
            guard recording.knows(serverOf: baseURL) else {
                throw settings.error("base-url", "the recording contains only exchanges with \(hosts)")
            }
            return (api, baseURL)
        }
        if let api, let host = recording.hosts.first(where: { api.definition.isSpoken(by: $0) }) {
            let path = api.definition.baseURL.flatMap { HTTPAddress($0)?.path } ?? "/"
            return (api, "https://\(host)" + (path == "/" ? "" : path))
        }
        throw settings.error(
            "path",
            "the recording contains exchanges with \(hosts), whose API no source supports "
                + "(known: \(apis.map(\.name).joined(separator: ", "))); choose another recording, "
                + "or set source.base-url to the address of a GitHub Enterprise Server")
    }
}
