/// The options that many commands take, which a page explains once for all of them.
struct CommonArguments {
    /// An option that at least this many commands take is common.
    private static let commandsMin = 8

    /// Sorted by name.
    let all: [ArgumentDescription]

    init(_ commands: [CommandDescription]) {
        var counts: [ArgumentDescription: Int] = [:]
        for command in commands {
            for argument in command.arguments { counts[argument, default: 0] += 1 }
        }
        all = counts.filter { !$0.key.names.isEmpty && $0.value >= Self.commandsMin }.keys
            .sorted { ($0.longName, $0.help) < ($1.longName, $1.help) }
    }

    /// Returns the shown arguments of a command that are not common.
    func own(_ command: CommandDescription) -> [ArgumentDescription] {
        command.arguments.filter { $0.isShown && !all.contains($0) }
    }

    /// Returns the names of a command's common options, except those that every command takes.
    func names(_ command: CommandDescription) -> [String] {
        command.arguments.filter { $0.isShown && all.contains($0) }.map(\.longName)
            .filter { !["--help", "--version"].contains($0) }
    }
}

extension ArgumentDescription {
    /// The name that explains itself: `--quiet`, not `-q`.
    fileprivate var longName: String { names.first { $0.hasPrefix("--") } ?? names.last ?? valueName }
}
