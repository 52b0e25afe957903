import ArgumentParser
public import Patchbay
import PatchbayCore

/// The command `patchbay`: parse, run, turn the outcome into an exit status.
///
/// A program that adds plugins of its own is one line:
///
///     await CommandLineTool.run(plugins: PluginSet(storages: [.sqlite, .mine], sources: [...]))
public enum CommandLineTool {
    /// The plugins that the running command offers.
    @TaskLocal static var plugins = PluginSet.builtIn

    /// Runs the process's arguments and exits.
    public static func run(plugins: PluginSet = .builtIn) async -> Never {
        StandardOutput.ignoreBrokenPipes()
        let status = await $plugins.withValue(plugins) { await status(of: Array(CommandLine.arguments.dropFirst())) }
        PatchbayCommand.exit(withError: ArgumentParser.ExitCode(status.rawValue))
    }

    static func status(of arguments: [String]) async -> ExitStatus {
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
        } catch let error as PatchbayError {
            StandardError.write("patchbay: " + error.line)
            return ExitStatus(error.code)
        } catch let status as ExitStatus {
            return status
        } catch {
            return parserStatus(for: error)
        }
    }

    /// Help and version are data; a wrong option is an error.
    private static func parserStatus(for error: any Error) -> ExitStatus {
        let message = PatchbayCommand.fullMessage(for: error)
        guard PatchbayCommand.exitCode(for: error) == .success else {
            StandardError.write("patchbay: " + message.droppingErrorWord)
            return .usage
        }
        do {
            try StandardOutput.write(message + "\n")
            return .success
        } catch {
            return error is BrokenPipe ? .success : .internalError
        }
    }
}

extension PatchbayError {
    /// The error as one line for people, harmless for their terminal.
    var line: String {
        let details = context.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        let cause = (cause as? PatchbayError).map { "; because " + $0.line } ?? cause.map { "; because \($0)" } ?? ""
        return TerminalText.harmless(message + (details.isEmpty ? "" : " (\(details))") + cause)
    }
}

extension String {
    /// ArgumentParser's message without the word that it begins with.
    fileprivate var droppingErrorWord: String { hasPrefix("Error: ") ? String(dropFirst(7)) : self }
}
