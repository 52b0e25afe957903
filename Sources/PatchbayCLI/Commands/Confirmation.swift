import ArgumentParser
import PatchbaySystem
import PatchbayTerminal

/// Asks for confirmation on the terminal, unless `--yes` was given.
struct Confirmation: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Skip the confirmation prompt.")
    var yes = false

    /// Returns whether to proceed: true with `--yes`, else the answer to a prompt.
    ///
    /// - Parameter action: the action to confirm, such as `remove all users`.
    /// - Throws: `ValidationError` when there is no terminal to ask on.
    func allows(_ action: String) throws -> Bool {
        if yes { return true }
        guard Descriptor.isTerminal(0), Descriptor.isTerminal(2) else {
            throw ValidationError("this would \(action); add --yes to do it")
        }
        try StandardStream.errors.write("\(TerminalText.harmless(action))? [y/N] ")
        let line = String(decoding: try InputFile("-").read(bytesMax: 1_024), as: UTF8.self)
        return ["y", "yes"].contains(line.lowercased().filter { !$0.isWhitespace })
    }
}
