import ArgumentParser

/// `patchbay completion`: the script that makes a shell complete this command, which `make install` puts in place.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script of a shell.",
        discussion: """
            For the running shell:

              source <(patchbay completion bash)
              patchbay completion fish | source
            """)

    @Argument(help: "The shell.") var shell: CompletionScript

    func run() throws { try StandardStream.output.write(shell.text) }
}

/// `patchbay complete -- WORD...`: what may stand in place of the last word, for the scripts above.
struct CompleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Print what may stand in place of the last word.",
        shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough) var words: [String] = []

    func run() throws { try StandardStream.output.write(Completion(of: Self.words(of: words)).text) }

    /// The words that are being completed, without the `--` before them.
    static func words(of arguments: [String]) -> [String] {
        Array(arguments.first == "--" ? arguments.dropFirst() : arguments[...])
    }
}
