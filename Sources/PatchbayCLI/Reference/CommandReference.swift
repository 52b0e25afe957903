import ArgumentParser
public import Patchbay

/// The help of all commands as one page, Docs/Commands.md.
public enum CommandReference {
    /// Returns the page for a program with these plugins.
    public static func markdown(_ plugins: PluginSet) -> String {
        let declared = DeclaredResources(bundledWith: plugins)
        return CommandLineTool.$declared.withValue(declared) { markdown }
    }

    static var markdown: String {
        var page =
            "# Commands\n\nGenerated from the commands' own help by `make pages`; a test keeps it up to date.\n"
        append(PatchbayCommand.self, "patchbay", to: &page)
        return page
    }

    private static func append(_ command: any ParsableCommand.Type, _ name: String, to page: inout String) {
        guard command.configuration.shouldDisplay else { return }
        let help = PatchbayCommand.helpMessage(for: command, columns: 100)
        page += "\n## `\(name)`\n\n```\n\(help.withoutTrailingSpaces)\n```\n"
        for subcommand in command.configuration.subcommands {
            append(subcommand, "\(name) \(subcommand._commandName)", to: &page)
        }
    }
}

extension String {
    fileprivate var withoutTrailingSpaces: String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        return lines.joined(separator: "\n")
    }
}
