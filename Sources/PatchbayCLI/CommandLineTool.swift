import ArgumentParser
public import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayNetworking
import Synchronization

/// The command `patchbay`: parse, run, turn the outcome into an exit status.
///
/// A program that adds plugins of its own is one line:
///
///     await CommandLineTool.run(plugins: .builtIn.adding(storages: [.mine]))
public enum CommandLineTool {
    /// The plugins that the running command offers.
    @TaskLocal static var plugins = PluginSet(storages: [], sources: [])
    /// The resources that commands are about.
    @TaskLocal static var declared = DeclaredResources()

    /// The configuration file, once it was read.
    @TaskLocal private static var found: GatewayConfiguration.Found?

    /// The configuration file, read only if it was not read before.
    static func found(named name: String?) throws -> GatewayConfiguration.Found {
        if let found, found.name == name { return found }
        return try GatewayConfiguration.Found(plugins, file: name)
    }

    /// Why the resources of the configuration are not known; nil when they are.
    @TaskLocal static var unread: PatchbayError?

    static var resources: [DeclaredResource] { declared.all }

    /// The sources that `--source` may name.
    static var sourceNames: [String] {
        let plugins = plugins.sources.plugins.map(\.name)
        return declared.sources.filter { !plugins.contains($0) } + plugins
    }

    /// Runs the process's arguments and exits.
    ///
    /// - Parameter plugins: what a configuration can choose; at least one storage and one source.
    public static func run(plugins: PluginSet) async -> Never {
        POSIX.fillStandardStreams()
        StandardStream.ignoreBrokenPipeSignal()
        if let lack = ProcessNeeds.lack {
            Message.write("patchbay: " + lack)
            PatchbayCommand.exit(withError: ArgumentParser.ExitCode(ExitStatus.internalError.rawValue))
        }
        if let broken = POSIX.brokenArgument() {
            Message.write(
                "patchbay: the argument \"\(broken)\" is not UTF-8 text; give the file or folder another name"
            )
            PatchbayCommand.exit(withError: ArgumentParser.ExitCode(ExitStatus.usage.rawValue))
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        let status = await CommandLineTool.$plugins.withValue(plugins) {
            await CommandLineTool.status(of: arguments)
        }
        Pager.finish()
        PatchbayCommand.exit(withError: ArgumentParser.ExitCode(status.rawValue))
    }

    static func status(of arguments: [String]) async -> ExitStatus {
        let isCompletion = arguments.first == CompleteCommand._commandName
        let declared = await ArgumentResources(
            isCompletion ? CompleteCommand.words(of: Array(arguments.dropFirst())) : arguments)
        return await $found.withValue(declared.file) {
            await $declared.withValue(declared.resources) {
                await $unread.withValue(declared.error) {
                    await status(ofTurned: WordOrder(declared.resources).turned(arguments))
                }
            }
        }
    }

    private static func status(ofTurned arguments: [String]) async -> ExitStatus {
        if let ambiguity = WordOrder(declared).ambiguity(in: arguments) {
            Message.write("patchbay: " + ambiguity)
            return .usage
        }
        do {
            var command = try PatchbayCommand.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .success
        } catch is BrokenPipe {
            return .success
        } catch is Interruption.Noted {
            // In a pager Ctrl-C is a key as any other.
            if Pager.hasRun { return .success }
            Interruption.end()
        } catch let error as PatchbayError {
            Message.write("patchbay: " + error.line)
            return ExitStatus(error.code)
        } catch let status as ExitStatus {
            return status
        } catch {
            return parserStatus(for: error, arguments)
        }
    }

    /// Help and version are data; a wrong option is an error.
    private static func parserStatus(for error: any Error, _ arguments: [String]) -> ExitStatus {
        if let unknown = UnknownCommand(in: arguments) {
            if let unread, unknown.mayBeResource {
                Message.write("patchbay: " + unread.line)
                return ExitStatus(unread.code)
            }
            Message.write("patchbay: " + unknown.message)
            return .usage
        }
        guard PatchbayCommand.exitCode(for: error) == .success else {
            let said = Suggestion.checked(PatchbayCommand.message(for: error))
            let message = said.prefix(1).lowercased() + said.dropFirst()
            let end = message.last.map { ".?".contains($0) } == true ? " Add" : "; add"
            Message.write("patchbay: \(message)\(end) --help to see what it takes")
            return .usage
        }
        do {
            try StandardStream.output.write(PatchbayCommand.fullMessage(for: error) + "\n")
            return .success
        } catch let error as PatchbayError {
            Message.write("patchbay: " + error.line)
            return ExitStatus(error.code)
        } catch {
            return error is BrokenPipe ? .success : .internalError
        }
    }
}

/// What the process needs before anything can be done.
private enum ProcessNeeds {
    /// With less, threads cannot be started, and the runtime waits for them without end.
    private static let memoryKiBMin: UInt = 100_000
    private static let filesMin: UInt = 16

    /// What there is too little of; nil when there is enough.
    static var lack: String? {
        if let bytes = POSIX.limit(.memory), bytes / 1_024 < memoryKiBMin {
            return "the process may use \(bytes / 1_024) KiB of memory (ulimit -v) and needs \(memoryKiBMin)"
        }
        if let files = POSIX.limit(.files), files < filesMin {
            return "the process may open \(files) files (ulimit -n) and needs \(filesMin)"
        }
        return nil
    }
}

/// The parser's question whether another word was meant; it asks however far that word is.
private enum Suggestion {
    /// The message without a suggestion that differs in more than a third of its letters.
    static func checked(_ message: String) -> String {
        let pattern = /'-*(?<word>[^']*)'\. Did you mean '-*(?<meant>[^']*)'\?/
        guard let match = message.firstMatch(of: pattern),
            EditDistance.nearest(to: String(match.word), in: [String(match.meant)]) == nil,
            let start = message.firstRange(of: " Did you mean")?.lowerBound
        else { return message }
        return String(message[..<start] + message[match.range.upperBound...])
    }
}

extension PatchbayError {
    /// The error as one line for people; what it quotes cannot begin another.
    var line: String {
        let details = context.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
            separator: ", ")
        let cause =
            (cause as? PatchbayError).map { "; because " + $0.line } ?? cause.map { "; because \($0)" } ?? ""
        return TerminalText.harmless(
            Message.withoutSecrets(message + (details.isEmpty ? "" : " (\(details))") + cause))
    }
}

/// Lines for people, on the standard error; what they quote from outside is made harmless.
enum Message {
    /// A longer line quotes something that nobody will read to its end.
    private static let lineBytesMax = 2_000
    /// What errors begin with.
    private static let errorMark = "patchbay:"
    private static let written = Atomic(0)

    /// How many were written to a terminal so far.
    static var count: Int { written.load(ordering: .relaxed) }

    private static let secrets = SecretFilter()

    /// The text without what looks like a secret, whoever wrote it; layers have taken out the configured ones.
    static func withoutSecrets(_ text: String) -> String { secrets.cleaned(text) }

    /// Writes what people may do without: a summary, a count.
    static func note(_ text: String) { if !TerminalOptions.isQuiet { write(text) } }

    static func write(_ text: String) {
        let terminal = Terminal.errors
        if terminal.isTerminal, Pager.holds(text) { return }
        if terminal.isTerminal { written.add(1, ordering: .relaxed) }
        ProgressBar.errors.clear()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            TerminalText.harmless(
                $0.utf8.count > lineBytesMax ? $0.prefix(lineBytesMax / 4) + "…" : String($0))
        }
        var shown = lines.joined(separator: "\n")
        if shown.hasPrefix(errorMark) {
            let paint = Paint(isColoured: terminal.allowsColour)
            shown = paint(errorMark, .wrong) + shown.dropFirst(errorMark.count)
        }
        // Nobody can be told that the place for telling is gone.
        try? StandardStream.errors.write(shown + "\n")
    }
}
