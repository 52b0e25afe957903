import ArgumentParser
import Patchbay

/// `patchbay help`: prints the help of a command. The parser's own ignores words that are not a command.
struct HelpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Print the help of a command.")

    @Argument(help: "The words of the command.") var words: [String] = []

    func run() async throws {
        let named = NamedCommand(words)
        guard let word = named.unknown else { throw CleanExit.helpRequest(named.type) }
        if word == words.first { return try await UnknownWordsCommand.refuse(words) }
        throw ValidationError(named.refusal(of: word))
    }
}

/// The command that the first words of a line name.
struct NamedCommand {
    private(set) var type: any ParsableCommand.Type = PatchbayCommand.self
    private var name = "patchbay"
    private var rest: ArraySlice<String>

    init(_ words: [String]) {
        rest = words[...]
        while let word = rest.first, let next = subcommands.first(where: { $0.words.contains(word) }) {
            type = next.type
            name += " " + word
            rest.removeFirst()
        }
    }

    /// The word in the place of a subcommand that is not one.
    var unknown: String? {
        guard let word = rest.first, !word.hasPrefix("-"), !subcommands.isEmpty else { return nil }
        return word
    }

    /// The message about that word.
    func refusal(of word: String) -> String {
        let meant = nearest(to: word).map { "did you mean \"\(name) \($0)\"? " }
        return "there is no command \"\(name) \(word)\"; \(meant ?? "")\"\(name) --help\" lists all"
    }

    /// The subcommand that was probably meant by a word that is not one.
    func nearest(to word: String) -> String? {
        EditDistance.nearest(to: word, in: subcommands.flatMap(\.words))
    }

    /// The shown subcommands, each with its names.
    private var subcommands: [(type: any ParsableCommand.Type, words: [String])] {
        type.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map {
            ($0, [$0.configuration.commandName].compactMap(\.self) + $0.configuration.aliases)
        }
    }
}
