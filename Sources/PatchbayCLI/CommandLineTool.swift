import ArgumentParser
public import Patchbay
package import PatchbayCompare
import PatchbayNetworking
import PatchbaySystem
import PatchbayTerminal
import Synchronization

/// The command `patchbay`: parses the arguments, runs the command and turns its outcome into an exit status.
///
/// A program that adds its own plugins needs one line:
///
///     await CommandLineTool.run(plugins: .builtIn.adding(storages: [.mine]))
public enum CommandLineTool {
    /// The plugins that a configuration of the running command can choose.
    @TaskLocal static var plugins = PluginSet(storages: [], sources: [])
    /// The bare engines that `compare` can measure beside storages.
    @TaskLocal static var engines: [any BareEngine] = []
    /// The resources that commands can name.
    @TaskLocal static var declared = DeclaredResources()

    /// The configuration file, once it has been read.
    @TaskLocal private static var found: GatewayConfiguration.Found?

    /// Returns the configuration file, which is read at most once.
    static func found(named name: String?) throws -> GatewayConfiguration.Found {
        if let found, found.name == name { return found }
        return try GatewayConfiguration.Found(plugins, file: name)
    }

    /// ``ConfiguredResources/faults`` of the running command.
    @TaskLocal static var unread: [PatchbayError] = []

    static var resources: [DeclaredResource] { declared.all }

    /// The sources that `--source` may name.
    static var sourceNames: [String] {
        let plugins = plugins.sources.plugins.map(\.name)
        return declared.sources.filter { !plugins.contains($0) } + plugins
    }

    /// Runs the process's arguments and exits.
    ///
    /// - Parameter plugins: the plugins that a configuration can choose; at least one storage and one source.
    public static func run(plugins: PluginSet) async -> Never { await run(plugins: plugins, engines: []) }

    /// Runs the process's arguments, with bare engines for `compare`, and exits.
    package static func run(plugins: PluginSet, engines: [any BareEngine]) async -> Never {
        Descriptor.fillStandardStreams()
        Signal.ignore(Signal.brokenPipe)
        if let lack = ProcessNeeds.lack {
            Message.write("patchbay: " + lack)
            CurrentProcess.end(status: ExitStatus.internalError.rawValue)
        }
        if let broken = CurrentProcess.brokenArgument() {
            Message.write(
                "patchbay: the argument \"\(broken)\" is not UTF-8 text; "
                    + "write it in UTF-8, or give the file another name")
            CurrentProcess.end(status: ExitStatus.usage.rawValue)
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        let status = await CommandLineTool.$plugins.withValue(plugins) {
            await CommandLineTool.$engines.withValue(engines) {
                await CommandLineTool.status(of: arguments)
            }
        }
        Pager.finish()
        // The parser's own exit would write the usage of all commands first, and then leave it out.
        CurrentProcess.end(status: status.rawValue)
    }

    static func status(of arguments: [String]) async -> ExitStatus {
        do {
            var command = try await PatchbayCommand.asyncParseAsRoot(arguments)
            if let command = command as? any ConfiguredCommand {
                return try await status(of: command)
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .success
        } catch is BrokenPipe {
            return .success
        } catch is Interruption.Noted {
            // In a pager, Ctrl-C is a key like any other.
            if Pager.hasRun { return .success }
            Interruption.end()
        } catch let error as PatchbayError {
            return report(error)
        } catch let status as ExitStatus {
            return status
        } catch {
            return parserStatus(for: error, arguments)
        }
    }

    /// Runs a command with the resources of its configuration.
    private static func status<Command: ConfiguredCommand>(of command: Command) async throws -> ExitStatus {
        let declared = await ConfiguredResources(
            command.options, naming: command.resourceWord, needsSources: Command.reportsSources)
        return try await $found.withValue(declared.file) {
            try await $declared.withValue(declared.resources) {
                try await $unread.withValue(declared.faults) {
                    if let fault = unread.first, Command.needsResources { return report(fault) }
                    var command = command
                    do {
                        try await command.run()
                    } catch let error as PatchbayError {
                        return report(command.options.explained(error))
                    }
                    return .success
                }
            }
        }
    }

    /// Prints an error. When it is the first fault of a definition, the others are printed too.
    private static func report(_ error: PatchbayError) -> ExitStatus {
        let line = error.namingFetch.oneLine
        for line in line == unread.first?.oneLine ? unread.map(\.oneLine) : [line] {
            Message.write("patchbay: " + line)
        }
        return ExitStatus(error.code)
    }

    /// Prints help and version to standard output, because they are data; reports a wrong option as an error.
    private static func parserStatus(for error: any Error, _ arguments: [String]) -> ExitStatus {
        guard PatchbayCommand.exitCode(for: error) == .success else {
            let named = NamedCommand(arguments)
            let message = named.unknown.map(named.refusal) ?? PatchbayCommand.message(for: error).oneLine
            Message.write("patchbay: " + message.withUsage)
            return .usage
        }
        do {
            try StandardStream.output.write(PatchbayCommand.fullMessage(for: error) + "\n")
            return .success
        } catch let error as PatchbayError {
            return report(error)
        } catch {
            return error is BrokenPipe ? .success : .internalError
        }
    }
}

extension String {
    /// The lines of a sentence of the parser, joined.
    fileprivate var oneLine: String { split(separator: "\n").map(\.trimmed).joined(separator: " ") }

    /// The message about wrong words with what shows the right ones, unless it says already what to add.
    fileprivate var withUsage: String {
        if contains("--help") || contains("add --yes") { return self }
        return self + (hasSuffix(".") || hasSuffix("?") ? " Add" : "; add") + " --help to see the usage"
    }
}

/// The resource limits below which the process cannot work.
private enum ProcessNeeds {
    /// With less memory, threads cannot be started and the runtime waits for them forever, and a storage cannot open
    /// its files. Each processor may have a thread with its stack.
    private static var memoryKiBMin: Int { 256 << 10 + CurrentProcess.processorCount * (16 << 10) }
    /// With fewer files, a connection to a source and the files of a storage cannot be opened at the same time.
    private static let filesMin = 32

    /// A message about the first limit that is too low; nil when both are high enough.
    static var lack: String? {
        if let bytes = CurrentProcess.limit(.memory), bytes / 1_024 < memoryKiBMin {
            return "the process may use \(bytes / 1_024) KiB of memory (ulimit -v); it needs \(memoryKiBMin)"
        }
        if let files = CurrentProcess.limit(.files), files < filesMin {
            return "the process may open \(files) files (ulimit -n); it needs \(filesMin)"
        }
        return nil
    }
}

extension PatchbayError {
    /// The same error with the option or command that does what the end of its message advises. Libraries cannot name
    /// one, because other programs have neither.
    func naming(_ means: String) -> PatchbayError { adding(" with " + means) }

    /// The same error with words after its message.
    func adding(_ words: String) -> PatchbayError {
        var error = PatchbayError(code, message + words, details, cause: cause)
        error.isUnreachable = isUnreachable
        error.isTimeout = isTimeout
        error.isNotRecorded = isNotRecorded
        return error
    }

    /// The error for a row that is not stored with the command that fetches the row; every other error unchanged.
    var namingFetch: PatchbayError {
        guard code == .notFound, let collection,
            let resource = CommandLineTool.resources.first(where: { $0.collection == collection })
        else { return self }
        let others = details.filter { $0 != .collection(collection) }
        let verb = resource.declaration.show == nil ? "list" : "show"
        return PatchbayError(code, message, others, cause: cause)
            .naming("\"patchbay \(verb) \(resource.noun)\"")
    }
}

extension DeclaredResource {
    /// The name of the collection of its rows.
    var collection: String { "\(word)_\(declaration.name)" }
}
