import ArgumentParser
import Patchbay
import PatchbayCore

/// `patchbay record`: any other command, with what it asks the network written to a file.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Run a command and record what it asks the network.",
        discussion: """
            The exchanges are written to a HAR 1.2 file, without secrets. The file is whole at each moment, however \
            the command ends; the first exchange replaces what it held before, --missing adds to it. The status is \
            that of the command.

              patchbay record users.har -- users list --source github --storage memory
              patchbay users list --source recorded --set source.path=users.har

            What a storage holds already is not asked for; take --storage memory or --refresh to record all of it.
            """)

    /// What the command that runs inside is set to, besides its own options.
    @TaskLocal static var flags: [GatewayConfiguration.Flag] = []

    @Flag(help: "Answer what the file holds already, ask the rest and add it.")
    var missing = false

    @Argument(help: "The HAR file to write.")
    var file: String

    @Argument(parsing: .postTerminator, help: "The command and its options.")
    var command: [String] = []

    func validate() throws {
        guard let verb = command.first else {
            throw ValidationError(
                "no command to record; write it behind --: patchbay record FILE -- users list")
        }
        guard verb != Self.configuration.commandName else {
            throw ValidationError("\"record\" cannot record itself")
        }
        if file.isEmpty { throw ValidationError("the file's name is empty") }
    }

    func run() async throws {
        Interruption.explain("what was recorded until now is in the file")
        let tally = RecordingTally()
        let mode = missing ? RecordMode.missing : .record
        let flags = [("source.record", file), ("source.record-mode", mode.rawValue)].map {
            GatewayConfiguration.Flag($0.0, $0.1, name: "record FILE")
        }
        let status = await Self.$flags.withValue(flags) {
            await RecordingTally.$current.withValue(tally) { await CommandLineTool.status(of: command) }
        }
        // An error was told already, and says what was asked.
        if tally.exchanges > 0 || status == .success { tell(tally.exchanges) }
        if status != .success { throw status }
    }

    private func tell(_ exchanges: Int) {
        let what =
            switch exchanges {
            case 0: "nothing was asked, so nothing was written to \"\(file)\""
            case 1: "1 exchange written to \"\(file)\""
            default: "\(exchanges) exchanges written to \"\(file)\""
            }
        Message.note(what)
    }

    /// - Throws: `invalidConfiguration` when the source asks no network, so that there is nothing to record, or there
    ///   are several sources.
    static func check(_ configuration: GatewayConfiguration) throws {
        guard configuration.sources.count == 1 else {
            throw PatchbayError.severalSources(configuration.sources.map(\.name))
        }
        let source = configuration.sources[0].plugin
        let options = try configuration.plugins.sources.plugin(named: source).options
        guard options.contains(where: { $0.key == "record" }) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the source \"\(source)\" asks no network, so there is nothing to record; choose one that does: "
                    + "--source github")
        }
    }
}
