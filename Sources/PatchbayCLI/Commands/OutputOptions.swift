import ArgumentParser
import PatchbayTerminal

extension OutputFormat: ExpressibleByArgument {}

/// The options of a command that prints records and opens neither a source nor a storage of the configuration.
struct OutputOptions: ParsableArguments {
    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    @OptionGroup var terminal: TerminalOptions
}
