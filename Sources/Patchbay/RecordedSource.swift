import NetworkingRecording
package import PatchbayCore
package import PatchbayDomain
import PatchbayNetworking
import Synchronization

extension Plugin where Product == ConfiguredSource {
    /// Answers from recorded HTTP exchanges instead of the network.
    ///
    /// `source.definition` selects the API. When it is not set, the API is that of the first exchange whose host speaks
    /// one of `apis`.
    ///
    /// - Parameter apis: the APIs that recordings may contain, and that `source.definition` may name.
    public static func recorded(apis: [SourceAPI]) -> Plugin<ConfiguredSource> {
        recorded(apis: apis, describe: nil)
    }

    /// - Parameter describe: creates an API from the definition in a file; without it, `source.definition` cannot name
    ///   a file.
    package static func recorded(
        apis: [SourceAPI], describe: (@Sendable (Definition) -> SourceAPI)?
    ) -> Plugin<ConfiguredSource> {
        let definition = DefinitionOption(bundled: apis, describe: describe)
        return Plugin(
            "recorded", "recorded HTTP exchanges (HAR 1.2) instead of a network",
            options: [
                PluginOption(
                    "path", .path, default: "${\(BundledRecordings.variable)}/sample.har",
                    "a HAR file, or a folder of HAR files; the bundled sample when not set"),
                definition.option("the definition of the recorded API, if its hosts do not identify it"),
                DefinitionOption.settings,
                PluginOption(
                    "base-url", .text,
                    "the recorded server, if it is not at the definition's address: https://HOST/api/v3"),
            ]
        ) { settings in
            let isChosen = settings.text(DefinitionOption.key) != nil
            let source = RecordedSource(settings, isChosen ? [try definition.api(settings)] : apis)
            var configured = ConfiguredSource(resources: try source.resources()) { _ in try source.open() }
            configured.check = { _ = try source.recorded() }
            return configured
        }
    }
}

/// A recording and the APIs that it may contain: the one that `source.definition` selects, or all.
private final class RecordedSource: Sendable {
    private let settings: Settings
    private let apis: [SourceAPI]
    /// Opened once and only when needed, because that reads all of it.
    private let opened = Mutex<Recording?>(nil)
    /// The API of the recording, found once, with nil inside when there is none.
    private let identified = Mutex<SourceAPI??>(nil)

    init(_ settings: Settings, _ apis: [SourceAPI]) {
        self.settings = settings
        self.apis = apis
    }

    private func recording() throws -> Recording {
        try opened.withLock { opened in
            let recording =
                try opened
                ?? Recording.open(
                    settings.requiredText("path"),
                    softQueryItems: softQueryItems(try api().map { [$0] } ?? apis))
            opened = recording
            return recording
        }
    }

    /// The query items in which a recorded request may differ from that of a definition: sizes of pages, and the
    /// number or cursor of the first page.
    private func softQueryItems(_ apis: [SourceAPI]) -> Set<String> {
        let declarations = apis.flatMap(\.definition.resources)
        let pages = declarations.compactMap(\.firstPage)
        // The first page of another API may have the number 0, so that `page=1` is the second one.
        let usual = Recording.usualSoftQueryItems.filter { item in
            !pages.contains { item.hasPrefix($0.parameter + "=") }
        }
        return usual.union(apis.flatMap { Recording.softQueryItemsByAPI[$0.name, default: []] })
            .union(pages.map { "\($0.parameter)=\($0.value)" })
            .union(declarations.flatMap(\.pageSizes))
    }

    /// The resources of all APIs, beginning with the API of the recording.
    ///
    /// - Throws: `invalidConfiguration` when the recording identifies no API, so that none of these is meant.
    func resources() throws -> [SourceResources] {
        var apis = apis
        // A recording that cannot be read is reported by `ConfiguredSource.check` and when the source is opened.
        if case .success(let recorded) = Result(catching: api) {
            if let place = apis.firstIndex(where: { $0.name == recorded?.name }) {
                apis.insert(apis.remove(at: place), at: 0)
            } else if let recording = try? recording(), recording.entryCount > 0 {
                throw unidentified(recording)
            }
        }
        return apis.enumerated().map { place, api in
            // So is one of another server.
            SourceResources(api, at: place == 0 ? try? self.server(of: self.recording()).baseURL : nil)
        }
    }

    /// The recording, its API and the recorded address of the API.
    func recorded() throws -> (recording: Recording, api: SourceAPI, baseURL: String) {
        let recording = try recording()
        guard recording.entryCount > 0 else {
            if let entry = recording.unreadable.first { throw settings.error("path", entry.message) }
            throw settings.error(
                "path",
                "the recording contains no exchanges; record some, or choose another")
        }
        let (api, baseURL) = try server(of: recording)
        return (recording, api, baseURL)
    }

    func open() throws -> Source {
        let (recording, api, baseURL) = try recorded()
        let replay = api.definition.ignoresCase ? recording.ignoringCase() : recording
        let attempts = RecordedAttempts(bodyLimit: api.bodyLimit)
        // The server has not confirmed the rows of a recording.
        var source = api.open(
            replay.layered(CleanedRequests(), attempts, Redirects()), baseURL, fingerprint: "recording")
        source.feed = source.feed.map(RecordedFeed.init)
        // No server has to be protected from too many requests.
        source.concurrency = 8
        source.name += ", recorded in \(recording.name)"
        source.recording = recording.name
        source.upstream = Upstream(baseURL: baseURL, networking: replay.layered(CleanedRequests()))
        source.upstream?.pathAlias = api.pathAlias
        source.upstream?.authorization = api.definition.authorization
        return source
    }

    /// The API of `source.base-url`, otherwise that of the first exchange whose host speaks one of them; nil when there
    /// is none.
    private func api() throws -> SourceAPI? {
        try identified.withLock { identified in
            if let identified { return identified }
            let api = try identify()
            identified = .some(api)
            return api
        }
    }

    private func identify() throws -> SourceAPI? {
        // The only API needs no host that identifies it.
        if apis.count == 1 { return apis[0] }
        if let baseURL = settings.text("base-url") {
            return HTTPAddress(baseURL).flatMap { api(spokenBy: $0.authority, at: $0.path) }
        }
        var found: SourceAPI?
        _ = try Recording.firstHost(in: settings.requiredText("path")) { host, path in
            found = api(spokenBy: host, at: path)
            return found != nil
        }
        return found
    }

    /// The API that a host serves. Of several on one host, it is the one whose base URL is the closest to the path.
    private func api(spokenBy host: String, at path: String) -> SourceAPI? {
        func depth(_ api: SourceAPI) -> Int {
            let folder = api.definition.baseURL.flatMap { HTTPAddress($0)?.path } ?? "/"
            if folder == "/" { return 0 }
            return "\(path)/".hasPrefix("\(folder)/") ? folder.utf8.count : -1
        }
        return apis.filter { $0.isSpoken(by: host) }.max { depth($0) < depth($1) }
    }

    private func shownHosts(_ recording: Recording) -> String {
        recording.hosts.prefix(3).joined(separator: ", ")
    }

    private func unidentified(_ recording: Recording) -> PatchbayError {
        settings.error(
            "path",
            "the recording contains exchanges with \(shownHosts(recording)), which identify no API; set "
                + "source.definition to \(apis.map(\.name).joined(separator: ", ")) or the file of another definition"
        )
    }

    private func server(of recording: Recording) throws -> (api: SourceAPI, baseURL: String) {
        let hosts = shownHosts(recording), baseURL = settings.text("base-url")
        if let baseURL, !recording.knows(serverOf: baseURL) {
            throw settings.error("base-url", "the recording contains only exchanges with \(hosts)")
        }
        guard let api = try api() else { throw unidentified(recording) }
        if let baseURL { return (api, baseURL) }
        let usual = api.definition.baseURL
        if let usual, recording.knows(serverOf: usual) { return (api, usual) }
        guard let host = recording.hosts.first(where: api.isSpoken) else {
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
