import ArgumentParser
import PatchbayJSON

/// A command as described by its parser (ArgumentParser's help dump, version 0).
struct CommandDescription {
    let name: String
    let abstract: String
    let discussion: String
    let isShown: Bool
    let arguments: [ArgumentDescription]
    let subcommands: [CommandDescription]

    /// Describes a command with all its subcommands.
    init(of command: any ParsableCommand.Type) throws {
        self.init(try JSONValue(Array(command._dumpHelp().utf8))["command"] ?? .null)
    }

    private init(_ json: JSONValue) {
        name = json.text("commandName")
        abstract = json.text("abstract")
        discussion = json.text("discussion")
        isShown = json.isTrue("shouldDisplay")
        arguments = json.elements("arguments").map { ArgumentDescription($0) }
        subcommands = json.elements("subcommands").map { CommandDescription($0) }
    }

    /// The shown commands without subcommands, each with the words that run it.
    var leaves: [(name: String, command: CommandDescription)] { leaves(name) }

    private func leaves(_ words: String) -> [(name: String, command: CommandDescription)] {
        guard isShown, name != "help" else { return [] }
        if subcommands.isEmpty { return [(words, self)] }
        return subcommands.flatMap { $0.leaves("\(words) \($0.name)") }
    }
}
