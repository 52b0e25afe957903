import NetworkingRecording
public import PatchbayCore
public import PatchbayDomain
import PatchbayNetworking

extension Plugin where Product == ConfiguredSource {
    /// Answers from recorded HTTP exchanges instead of the network.
    ///
    /// `source.definition` selects the API. When it is not set, the API is the one of `apis` that the recording's most
    /// frequent host speaks.
    ///
    /// - Parameters:
    ///   - apis: the APIs that recordings may contain, and that `source.definition` may name.
    ///   - describe: creates an API from the definition in a file; without it, `source.definition` cannot name a file.
    public static func recorded(
        apis: [SourceAPI], describe: (@Sendable (Definition) -> SourceAPI)? = nil
    ) -> Plugin<ConfiguredSource> {
        let definition = DefinitionOption(bundled: apis, describe: describe)
        return Plugin(
            "recorded", "recorded HTTP exchanges (HAR 1.2) instead of a network",
            options: [
                PluginOption(
                    "path", .path, default: "${\(BundledRecordings.variable)}/sample.har",
                    "a HAR file, or a folder of HAR files; the bundled sample when not set"),
                definition.option("the definition of the recorded API, if its hosts do not identify it"),
                PluginOption(
                    "base-url", .text,
                    "the recorded server, if it is not at the definition's address: https://HOST/api/v3"),
            ]
        ) { settings in
            let isChosen = settings.text(DefinitionOption.key) != nil
            let source = RecordedSource(
                settings: settings, apis: isChosen ? [try definition.api(settings)] : apis,
                recording: Result { try Recording.open(settings.requiredText("path")) })
            return ConfiguredSource(resources: source.resources()) { _ in try source.open() }
        }
    }
}

/// A recording and the APIs that it may contain: the one that `source.definition` selects, or all.
private struct RecordedSource {
    let settings: Settings
    let apis: [SourceAPI]
    /// A recording that cannot be read is reported when the source is opened.
    let recording: Result<Recording, any Error>

    /// The resources of all APIs, beginning with the API of the recording.
    func resources() -> [SourceResources] {
        guard let recording = try? recording.get() else { return apis.map { SourceResources($0, at: nil) } }
        var apis = apis
        if let recorded = api(of: recording),
            let place = apis.firstIndex(where: { $0.name == recorded.name })
        {
            apis.insert(apis.remove(at: place), at: 0)
        }
        // A recording of another server is also reported when the source is opened.
        let address = try? server(of: recording).baseURL
        return apis.enumerated().map { SourceResources($1, at: $0 == 0 ? address : nil) }
    }

    func open() throws -> Source {
        let recording = try recording.get()
        guard recording.entryCount > 0 else {
            throw settings.error(
                "path",
                "the recording contains no exchanges; record some, or choose another")
        }
        let (api, baseURL) = try server(of: recording)
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

    /// The API of `source.base-url`, otherwise that of the most frequent host that speaks one of them; nil when there
    /// is none.
    private func api(of recording: Recording) -> SourceAPI? {
        // The only API needs no host that identifies it.
        if apis.count == 1 { return apis[0] }
        if let baseURL = settings.text("base-url") {
            return HTTPAddress(baseURL).flatMap { api(spokenBy: $0.authority) }
        }
        return recording.hosts.lazy.compactMap(api(spokenBy:)).first
    }

    private func api(spokenBy host: String) -> SourceAPI? {
        apis.first { $0.definition.isSpoken(by: host) }
    }

    private func server(of recording: Recording) throws -> (api: SourceAPI, baseURL: String) {
        let hosts = recording.hosts.prefix(3).joined(separator: ", ")
        let baseURL = settings.text("base-url")
        if let baseURL, !recording.knows(serverOf: baseURL) {
            throw settings.error("base-url", "the recording contains only exchanges with \(hosts)")
        }
        guard let api = api(of: recording) else {
            throw settings.error(
                "path",
                "the recording contains exchanges with \(hosts), whose API is not one of "
                    + "\(apis.map(\.name).joined(separator: ", ")); set source.definition to the file of its definition"
            )
        }
        if let baseURL { return (api, baseURL) }
        let usual = api.definition.baseURL
        if let usual, recording.knows(serverOf: usual) { return (api, usual) }
        guard let host = recording.hosts.first(where: api.definition.isSpoken) else {
            let address = usual.map { " (\($0))" } ?? ""
            throw settings.error(
                "path",
                "the recording contains no exchanges with \(api.name)\(address), only with \(hosts); "
                    + "set source.base-url to the recorded address of the API")
        }
        let path = usual.flatMap { HTTPAddress($0)?.path } ?? "/"
        return (api, "https://\(host)" + (path == "/" ? "" : path))
    }
}
