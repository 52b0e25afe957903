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

    @Argument(help: "The shell.") var shell: CompletionScript

    func run() throws { try StandardStream.output.write(shell.text) }
}

/// `patchbay complete -- WORD...`: prints completions of the last word for the scripts above.
struct CompleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Print the completions of the last word.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough) var words: [String] = []

    func run() throws { try StandardStream.output.write(Completion(of: Self.words(of: words)).text) }

    /// Returns the words to complete, without a leading `--`.
    static func words(of arguments: [String]) -> [String] {
        Array(arguments.first == "--" ? arguments.dropFirst() : arguments[...])
    }
}
