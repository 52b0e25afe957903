import ArgumentParser

/// The commands that the parser can reach.
///
/// The parser reads the configuration of every command in the tree, several times, before it reads the first word, and
/// each noun adds ten commands. While it parses a command line, the commands with many subcommands therefore have only
/// those that the line names. Everything else, such as help, suggestions and completions, finds all of them.
enum NamedCommands {
    /// The words of the line that is being parsed; nil when all commands must exist.
    @TaskLocal private static var words: Set<String>?

    /// Runs `parse` with only the commands that the arguments name. `help` needs all commands, because it lists them.
    static func only<Result>(_ arguments: [String], _ parse: () throws -> Result) rethrows -> Result {
        try $words.withValue(arguments.first == "help" ? nil : Set(arguments)) { try parse() }
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
        return commands.filter { words.contains(where: $0.answers) }
    }
}
