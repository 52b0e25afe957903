import ArgumentParser
import PatchbayCore

/// An unknown word in the place of a command.
///
/// The parser itself would report unexpected arguments, or options that only the missing command takes.
struct UnknownCommand {
    /// One line for people: the unknown command, a suggestion, and how to list all commands.
    let message: String

    /// Nil when the words before the first option or argument are a command.
    init?(in arguments: [String]) {
        var command: any ParsableCommand.Type = PatchbayCommand.self
        var path = PatchbayCommand._commandName
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            if word.hasPrefix("-") { return nil }
            let configuration = command.configuration
            guard !configuration.subcommands.isEmpty, configuration.defaultSubcommand == nil else {
                return nil
            }
            guard let next = configuration.subcommands.first(where: { $0.answers(to: word) }) else {
                let meant = UnknownCommand.meant(word, configuration.subcommands, path)
                message =
                    "there is no command \"\(path) \(word)\"; "
                    + (meant.map { "did you mean \"\($0)\"? " } ?? "") + "\"\(path) --help\" lists all"
                return
            }
            command = next
            path += " " + word
        }
        return nil
    }

    /// Returns the sibling command with the nearest spelling, else a command elsewhere with exactly this name.
    private static func meant(_ word: String, _ sisters: [any ParsableCommand.Type], _ path: String)
        -> String?
    {
        let names = sisters.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        if let nearest = EditDistance.nearest(to: word, in: names) { return "\(path) \(nearest)" }
        return place(of: word, PatchbayCommand.self, PatchbayCommand._commandName)
    }

    private static func place(of word: String, _ command: any ParsableCommand.Type, _ path: String) -> String?
    {
        for command in command.configuration.subcommands where command.configuration.shouldDisplay {
            let path = "\(path) \(command._commandName)"
            if command._commandName == word { return path }
            if let found = place(of: word, command, path) { return found }
        }
        return nil
    }
}

extension ParsableCommand {
    /// The command's name and its aliases.
    static var names: [String] { [_commandName] + configuration.aliases }

    /// Returns whether the word is the command's name or an alias.
    static func answers(to word: String) -> Bool { names.contains(word) }
}
