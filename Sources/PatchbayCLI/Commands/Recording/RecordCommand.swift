import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay record`: runs another command and records its network exchanges in a file.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Run a command and record its network requests.",
        discussion: """
            The exchanges are written to a HAR 1.2 file, without secrets. The file is complete at every moment, \
            however the command ends; copy it when it has ended. The first exchange replaces the previous contents \
            of the file; with --missing, exchanges are added instead. The exit status is that of the command.

              patchbay record users.har -- list users --source github --storage memory
              patchbay list users --source recorded --set source.path=users.har

            Data that is already stored is not requested; use --storage memory or --refresh to record all of it.
            """)

    /// The settings of the recorded command, in addition to its own options.
    @TaskLocal static var flags: [GatewayConfiguration.Flag] = []

    @Flag(help: "Answer requests that the file already contains from it; send the others and add them.")
    var missing = false

    @Argument(help: "The HAR file to write.", completion: .file())
    var file: String

    @Argument(parsing: .postTerminator, help: "The command and its options.")
    var command: [String] = []

    func validate() throws {
        guard let verb = command.first else {
            throw ValidationError(
                "no command to record; write it after --: patchbay record FILE -- list users")
        }
        guard verb != Self.configuration.commandName else {
            throw ValidationError("\"record\" cannot record itself")
        }
        if file.isEmpty { throw ValidationError("the file name is empty") }
    }

    func run() async throws {
        Interruption.explain("the exchanges recorded so far are in the file")
        let tally = RecordingTally()
        let mode = missing ? RecordMode.missing : .record
        let flags = [("source.record", file), ("source.record-mode", mode.rawValue)].map {
            GatewayConfiguration.Flag($0.0, $0.1, name: "record FILE")
        }
        let status = await Self.$flags.withValue(flags) {
            await RecordingTally.$current.withValue(tally) { await CommandLineTool.status(of: command) }
        }
        // An error has already been reported, and it names the request.
        if tally.exchanges > 0 || (status == .success && tally.failure == nil) { report(tally.exchanges) }
        if status != .success { throw status }
        // The command succeeded with stored rows, but its exchanges are not in the file.
        if let failure = tally.failure { throw failure }
    }

    private func report(_ exchanges: Int) {
        let what =
            exchanges == 0
            ? "no requests were sent, so nothing was" : Count.words(exchanges, "exchange")
        Message.note("\(what) written to \"\(file)\"")
    }

    /// - Throws: `invalidConfiguration` when there are several sources, or when the source uses no network, so that
    ///   there is nothing to record.
    static func check(_ configuration: GatewayConfiguration) throws {
        guard configuration.sources.count == 1 else {
            throw PatchbayError.severalSources(configuration.sources.map(\.name))
        }
        let source = configuration.sources[0].plugin
        let options = try configuration.plugins.sources.plugin(named: source).options
        guard options.contains(where: { $0.key == "record" }) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the source \"\(source)\" uses no network, so there is nothing to record; choose one that does: "
                    + "--source github")
        }
    }
}
