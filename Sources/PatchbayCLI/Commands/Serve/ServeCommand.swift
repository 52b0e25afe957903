import ArgumentParser
import Patchbay
import PatchbayServer

/// `patchbay serve`: serves the gateway to other programs.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the source's API to other programs, through a cache.",
        discussion: """
            Programs that can change the API's address, or send HTTP over a Unix domain socket, work unchanged, for \
            example with "gh config set http_unix_socket PATH" or the base URL of PyGithub or octokit. Answers are \
            stored and served again, even while the API cannot be reached. The gateway's own JSON API is below /-/: \
            stored rows, edits, searches, syncs, events and metrics.

            By default the server listens on a socket that only you can open; --listen or serve.listen change that. \
            After Ctrl-C or SIGTERM it finishes the requests in progress and exits.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Option(
        help: ArgumentHelp(
            "Listen on unix:PATH, HOST:PORT or systemd; may be repeated.", valueName: "address"))
    var listen: [String] = []

    func run() async throws {
        let configuration = try options.load().adding(
            listen.isEmpty ? [] : [.init("serve.listen", listen.joined(separator: ","), name: "--listen")])
        let serving = try await configuration.openServing()
        let server = try ServerOptions(try await configuration.servingSettings())
        let lines = try requests.lines()
        let report = try requests.report()
        let figures = PrometheusMetrics()
        var gateways = try await ProgressBar.errors.showing {
            try await configuration.openAll(
                schema: .server, telemetry: Telemetry(metrics: figures.metrics), report: report, progress: $0)
        }
        gateways.maximumAge = requests.maxAge
        do {
            try await serve(gateways, server, over: serving, figures, lines)
        } catch {
            // The first error is the one to report.
            try? await gateways.close()
            throw error
        }
        try await gateways.close()
        requests.writeStatistics(of: gateways)
    }

    private func serve(
        _ gateways: Gateways, _ options: ServerOptions, over serving: any Serving,
        _ figures: PrometheusMetrics, _ lines: (@Sendable (String) -> Void)?
    ) async throws {
        let clock = LayerClock(now: Timestamp.now)
        let cache = try await AnswerCache(
            store: gateways.store, bytesMax: options.proxy.cacheBytesMax, clock: clock
        ) { error in
            let reason = (error as? PatchbayError)?.line ?? "\(error)"
            Message.write("answers are not written to the storage: \(reason)")
        }
        let api = APIResponder(gateways.all, metrics: figures, clock: clock)
        let router = Router(api: api, proxy: try proxy(gateways, cache, options, clock))
        var responder: any Responder = MeasuringResponder(GuardedResponder(router, options), figures)
        if let lines { responder = LoggedResponder(responder, clock: clock) { lines($0.line) } }
        let signals = EndSignals { await serving.stop() }
        defer { signals.forget() }
        try await serving.run(responder) { addresses in
            for address in addresses { Message.write("listening on \(address)") }
        }
        // Syncs use the gateways, which the caller closes next.
        await api.stop()
        await cache.close()
    }

    /// Returns a proxy for the API of the only source. With several sources, a path could belong to any of them.
    private func proxy(
        _ gateways: Gateways, _ cache: AnswerCache, _ options: ServerOptions, _ clock: LayerClock
    ) throws -> any Responder {
        guard gateways.all.count == 1, let source = gateways.all.first?.source else {
            return AbsentResponder(
                "several sources are served, so only /-/ exists; start another server with --source NAME")
        }
        guard let upstream = source.upstream else {
            return AbsentResponder("the source \(source.name) has no server whose API could be served")
        }
        return try ProxyResponder(upstream, cache: cache, options.proxy, clock: clock)
    }
}

extension ServedRequest {
    /// The request as one line, with fields in the same order as in the lines of sent requests.
    var line: String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        let from =
            switch client {
            case .unix: "unix"
            case .tcp(let address, _): address
            }
        let fields = [
            startedAt.description, method, target, String(status), "\(milliseconds)ms",
            bodyBytes.map { "\($0)B" } ?? "-", "client", "cache=\(cacheStatus ?? "-")", "from=\(from)",
            "token=\(tokenFingerprint?.description ?? "-")",
        ]
        return fields.joined(separator: " ")
    }
}
