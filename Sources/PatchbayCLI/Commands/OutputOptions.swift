import ArgumentParser
import PatchbayTerminal

extension OutputFormat: ExpressibleByArgument {}

/// The options of a command that prints records and opens neither a source nor a storage of the configuration.
struct OutputOptions: ParsableArguments {
    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    @OptionGroup var terminal: TerminalOptions
}

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
