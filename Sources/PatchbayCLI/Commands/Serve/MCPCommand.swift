import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayGateway
import PatchbayJSON
import PatchbayQuery
import PatchbayServer
import PatchbaySystem
import PatchbayTerminal

/// `patchbay mcp`: answers an agent over standard input and output.
struct MCPCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Answer an agent over the Model Context Protocol.",
        discussion: """
            Agents start it and read stored rows with eight tools; only "refresh" sends requests.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Flag(help: "Print the block for the settings of an agent, and exit.")
    var printConfig = false

    func run() async throws {
        let configuration = try options.load()
        if printConfig {
            let settings = Self.settings(CommandLine.arguments, file: configuration.file)
            return try StandardStream.output.write(settings)
        }
        let agents = try MCPOptions(try await configuration.agentSettings())
        let (gateways, isForeign) = try await open(configuration)
        let session = try await MCPSession(
            gateways, account: isForeign ? nil : gateways.store, agents, questions: StoredQuestions(gateways)
        ) { error in
            let reason = (error as? PatchbayError)?.oneLine ?? "\(error)"
            Message.write("the account is not written to the storage: \(reason)")
        } write: {
            try StandardStream.output.write($0)
        }
        let input = try AgentInput()
        while let bytes = try await input.read() { await session.receive(bytes) }
        // Agents close the input to end the command; answers that take longer are not awaited.
        try? await Promptness.ending(within: .seconds(3)) { await session.end() }
        await session.stop()
        for gateway in gateways.all { try await gateway.close() }
        try await gateways.store.close()
        requests.writeStatistics(of: gateways)
    }

    /// Opens sources and storage. If another process has the storage to itself, sources stay closed.
    private func open(
        _ configuration: GatewayConfiguration
    ) async throws -> (gateways: Gateways, isForeign: Bool) {
        let telemetry = Telemetry(report: try requests.report())
        do {
            let gateways = try await configuration.openAll(
                schema: GatewayServer.schema, telemetry: telemetry)
            return (gateways, false)
        } catch let error as PatchbayError where error.code == .busy && error.server == nil {
            let gateways = try await configuration.openAll(
                schema: GatewayServer.schema, access: .reading, isOffline: true, telemetry: telemetry)
            Message.write(
                "\(error.oneLine); meanwhile, stored rows are answered, and nothing is fetched or accounted for"
            )
            return (gateways, true)
        }
    }

    /// The block for the settings of an agent: the command as it was written, without the option that prints the block,
    /// and with the configuration file that it has read, because agents start it in other folders.
    static func settings(_ words: [String], file: String?) -> String {
        var arguments = words.dropFirst().filter { $0 != "--print-config" && !$0.hasPrefix("--config=") }
        if let place = arguments.firstIndex(of: "--config") { arguments.removeSubrange(place...(place + 1)) }
        if let file { arguments += ["--config", FileSystem.resolvedIfThere(file)] }
        var json = JSONWriter(indentation: 2)
        json.value([
            "mcpServers": [
                "patchbay": [
                    "command": .text(FileSystem.resolvedIfThere("/proc/self/exe")),
                    "args": JSONValue(Array(arguments)),
                ]
            ]
        ])
        json.newline()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// Reads standard input on a thread of its own.
private actor AgentInput {
    private let executor = BlockingExecutor(label: "patchbay.agent")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let input: InputFile

    init() throws { input = try InputFile("-") }

    /// Returns what comes next; nil at the end.
    func read() throws -> [UInt8]? {
        let bytes = try input.read(bytesMax: 65_536)
        return bytes.isEmpty ? nil : bytes
    }
}
