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
        let script = PatchbayCommand.completionScript(for: shell.parsers)
        try StandardStream.output.write(script + "\n" + (shell == .bash ? Self.valuesFollow : ""))
    }

    /// Omits the space that bash appends to a word that ends in an equals sign, which a value follows.
    private static let valuesFollow = """
        _patchbay_values() {
            _patchbay "$@"
            if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
        }
        complete -o filenames -F _patchbay_values patchbay

        """

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
