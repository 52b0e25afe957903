import ArgumentParser
import Synchronization

/// The commands that the parser can reach.
///
/// The parser reads the configuration of every command in the tree, several times, before it reads the first word, and
/// each noun adds ten commands. While it parses a command line, the commands with many subcommands therefore have only
/// those that the line names. Everything else, such as help, suggestions and completions, finds all of them.
enum NamedCommands {
    /// The line that is being parsed; nil before and afterwards.
    @TaskLocal private static var line: Line?

    private final class Line: Sendable {
        /// Nil when all commands must exist.
        let words: Set<String>?
        let configurations = Mutex<[(command: ObjectIdentifier, made: CommandConfiguration)]>([])

        init(words: Set<String>?) { self.words = words }
    }

    private static var words: Set<String>? { line?.words }

    /// Runs `parse` with only the commands that the arguments name. `help` needs all commands, because it lists them.
    static func only<Result>(_ arguments: [String], _ parse: () throws -> Result) rethrows -> Result {
        let line = Line(words: arguments.first == "help" ? nil : Set(arguments))
        return try $line.withValue(line) { try parse() }
    }

    /// Returns the configuration of a command with subcommands, which is made once for a line.
    static func configuration(
        of command: any ParsableCommand.Type, _ make: () -> CommandConfiguration
    ) -> CommandConfiguration {
        guard let line else { return make() }
        let name = ObjectIdentifier(command)
        let known = line.configurations.withLock { $0.first { $0.command == name } }
        if let known { return known.made }
        let made = make()
        line.configurations.withLock { $0.append((name, made)) }
        return made
    }

    /// Whether all commands exist, with their help.
    static var areAll: Bool { words == nil }

    /// Whether the line may request a completion script from the parser.
    static var mayRequestScript: Bool {
        words?.contains { $0.hasPrefix("--generate-completion-script") } ?? true
    }

    /// Returns whether the command with a name must exist.
    static func contain(_ name: String) -> Bool { words?.contains(name) ?? true }

    /// Returns the commands that must exist, by their names and aliases.
    static func among(_ commands: [any ParsableCommand.Type]) -> [any ParsableCommand.Type] {
        guard let words else { return commands }
        return commands.filter { $0.names.contains(where: words.contains) }
    }
}
