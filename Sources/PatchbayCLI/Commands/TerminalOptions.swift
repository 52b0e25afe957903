import ArgumentParser
import PatchbayTerminal

/// The options about messages for people, for every command that reports or counts anything.
///
/// They apply to the whole process once the parser has validated them.
struct TerminalOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print only rows and errors: no summaries, progress or waits.")
    var quiet = false

    @Option(
        help: """
            When to use colours. "auto" uses them on a terminal, unless NO_COLOR is set or TERM is "dumb".
            """)
    var color = ColourChoice.auto

    func validate() { Terminal.choose(isQuiet: quiet, colour: color) }
}

extension ColourChoice: ExpressibleByArgument {}
