import ArgumentParser
import PatchbayTerminal

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
        try StandardStream.output.write(shell.omittingSpaces(in: script) + "\n")
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

        /// Omits the space that a shell appends to a word that ends in an equals sign, which a value follows. fish
        /// appends none.
        fileprivate func omittingSpaces(in script: String) -> String {
            switch self {
            case .bash: script + "\n" + Self.bashSuffix
            case .zsh:
                script.replacing(Self.zshOffer, with: Self.zshSuffix + Self.zshOffer + #""${suffix[@]}" "#)
            case .fish: script
            }
        }

        /// The words of the parser's script with which zsh offers completions; options may follow.
        private static let zshOffer = "_describe -V '' non_empty_completions "
        private static let zshSuffix = "local -a suffix=(); [[ $1 == *= ]] && suffix=(-S '')\n    "
    }
}

extension CompletionCommand.Shell {
    private static let bashSuffix = """
        _patchbay_values() {
            _patchbay "$@"
            if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
        }
        complete -o filenames -F _patchbay_values patchbay

        """
}
