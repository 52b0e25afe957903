import ArgumentParser

/// `patchbay completion`: prints the script with which a shell completes this command; `make install` installs it.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script for a shell.",
        discussion: """
            To enable completion in the running shell:

              source <(patchbay completion bash)
              patchbay completion fish | source
            """)

    @Argument(help: "The shell.") var shell: Shell

    func run() throws {
        try StandardStream.output.write(PatchbayCommand.completionScript(for: shell.parsers) + "\n")
    }

    /// A shell that can complete the command.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        fileprivate var parsers: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }
}
