import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayTerminal

/// Answers a command line whose first word is not a command.
struct UnknownWordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unknown", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough) var words: [String] = []

    func run() async throws {
        if words.isEmpty { throw CleanExit.helpRequest(PatchbayCommand.self) }
        // The parser answers "--version" only if it is alone.
        if words[0] == "--version" { return try VersionCommand.parse(Array(words.dropFirst())).run() }
        try await Self.refuse(words)
    }

    /// Prints how the line would be right.
    static func refuse(_ words: [String]) async throws {
        let line = await TypedLine(["patchbay"] + words)
        Message.write("patchbay: " + problem(words[0], words.dropFirst(), line.declared))
        throw ExitStatus.usage
    }

    private static func problem(
        _ first: String, _ rest: ArraySlice<String>, _ declared: DeclaredResources
    ) -> String {
        if first.hasPrefix("-") {
            let meant = EditDistance.suggestion(for: first, in: ["--help", "--version"])
            return meant.isEmpty
                ? "options follow the command: patchbay COMMAND \(first)"
                : "there is no option \"\(first)\"\(meant)"
        }
        let all = NamedCommand([]), isResource = !declared.meant(by: first).isEmpty
        // A word such as "favorites" has a subcommand after it, not a verb.
        if !isResource, all.nearest(to: first) != nil { return all.refusal(of: first) }
        if let verb = rest.first, NamedCommand([verb]).type != PatchbayCommand.self {
            let words = [verb, first] + rest.dropFirst()
            return "the verb comes first: patchbay \(words.joined(separator: " "))"
        }
        if !isResource { return all.refusal(of: first) }
        return "\(first) are a resource, and the verb comes first: patchbay list \(first); "
            + "\"patchbay resources \(first)\" describes them"
    }
}
