package import Patchbay

/// All commands as one page, Docs/Commands.md, which shows the help of each.
package enum CommandReference {
    /// Returns the page for a program with these plugins.
    package static func markdown(_ plugins: PluginSet) -> String {
        CommandLineTool.$plugins.withValue(plugins) { markdown }
    }

    static var markdown: String {
        let help = CommandHelp.texts(columns: 116)
        var page =
            "# Commands\n\nGenerated from the commands' own help by `make pages`; a test keeps it up to date. "
            + "[Arguments and options](#shared-by-several-commands) of several commands are explained at the end.\n"
        for command in help.commands { page += "\n## `\(command.name)`\n\n" + block(command.text) }
        return page + "\n## Shared by several commands\n\n" + block(help.common)
    }

    /// Returns the text as a block of code.
    private static func block(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
    }
}
