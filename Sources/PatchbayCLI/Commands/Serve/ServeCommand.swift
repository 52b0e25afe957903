import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayGateway
import PatchbayQuery
import PatchbayServer
import PatchbayTerminal

/// `patchbay serve`: serves the gateway to other programs.
struct ServeCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the source's API to other programs, through a cache.",
        discussion: """
            Programs that can change the API's address or use a Unix domain socket work unchanged, also while the API \
            cannot be reached; the JSON API is below /-/. By default only you can open the socket. On TCP, clients may \
            need a token: serve.token, serve.client.NAME.token, or one that the server makes.
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
        let settings = try await configuration.servingSettings()
        var server = try ServerOptions(settings)
        server.agents = try MCPOptions(try await configuration.agentSettings())
        let isOnTCP = try ServingOptions(settings).isOnTCP
        let lines = try requests.lines()
        let report = try requests.report()
        let figures = PrometheusMetrics()
        var gateways = try await ProgressBar.errors.showing {
            try await configuration.openAll(
                schema: GatewayServer.schema, telemetry: Telemetry(metrics: figures.metrics, report: report),
                progress: $0)
        }
        gateways.maximumAge = requests.maxAge
        do {
            let isClosed = gateways.holdsCredentials || !server.clients.isEmpty
            let made = isOnTCP && server.token == nil && isClosed ? try MadeToken() : nil
            try await serve(gateways, server.adding(made), over: serving, figures, lines) { addresses in
                for address in addresses { Message.write("listening on \(address)") }
                made?.show(for: addresses, scheme: settings.text("certificate") == nil ? "http" : "https")
            }
        } catch {
            // The first error is the one to report.
            try? await close(gateways)
            throw error
        }
        try await close(gateways)
        requests.writeStatistics(of: gateways)
    }

    /// Closes the sources, and the storage unless it does not answer; acknowledged changes are kept anyway.
    private func close(_ gateways: Gateways) async throws {
        for gateway in gateways.all { try await gateway.close() }
        do {
            try await Promptness.ending(within: .seconds(3)) { try await gateways.store.close() }
        } catch is StorageDelay {
            throw PatchbayError(
                .busy, "the storage does not answer and was left open; acknowledged changes are kept")
        }
    }

    private func serve(
        _ gateways: Gateways, _ options: ServerOptions, over serving: any Serving,
        _ figures: PrometheusMetrics, _ lines: (@Sendable (String) -> Void)?,
        listening: @escaping @Sendable ([String]) -> Void
    ) async throws {
        var log: (@Sendable (ServedRequest) -> Void)?
        if let lines { log = { lines($0.line) } }
        let server = try await GatewayServer(
            gateways, options, figures, questions: StoredQuestions(gateways), log: log
        ) { error in
            let reason = (error as? PatchbayError)?.oneLine ?? "\(error)"
            Message.write("answers are neither written to the storage nor deleted there: \(reason)")
        }
        let signals = EndSignals { await serving.stop() }
        defer { signals.forget() }
        try await server.run(over: serving, listening: listening)
    }
}

extension ServerOptions {
    /// The options with a token that the server has made: it opens the own API and the use of the source's credentials,
    /// while the source's API stays open without them.
    fileprivate func adding(_ made: MadeToken?) -> ServerOptions {
        guard let made else { return self }
        var options = self
        options.token = made.text
        options.isProxyOpen = true
        return options
    }
}

extension MadeToken {
    /// Shows the addresses of the page with the token on a terminal, for the person who started the server. Anything
    /// else that standard error leads to, such as a log, gets the path of the token's file.
    fileprivate func show(for addresses: [String], scheme: String) {
        guard Terminal.errors.isTerminal else {
            return Message.write("the token for /-/ is in \"\(path)\"")
        }
        for address in addresses where !address.hasPrefix("unix:") {
            Message.write("the page: \(scheme)://\(address)\(GatewayServer.pagePath)#token=\(text)")
        }
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
