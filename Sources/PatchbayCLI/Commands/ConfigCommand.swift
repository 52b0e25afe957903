import ArgumentParser
import Patchbay
import PatchbayCore

/// `patchbay config`: what holds, and why.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the effective configuration, or check it.",
        subcommands: [Show.self, Check.self])
}

extension ConfigCommand {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show every value that holds and where it was set.",
            discussion: "A secret shows as the place it is read from, never as itself.")

        @OptionGroup var options: ConfigurationOptions

        @Option(help: "How to print.")
        var format = OutputFormat.table

        func run() throws {
            let loaded = try options.load()
            let records = try loaded.configuration.entries.map { entry in
                let value = entry.type == .path ? try loaded.path(entry) : entry.value.text
                let origin = entry.value.origin.description
                return OutputRecord([
                    ("key", .text(entry.key)), ("value", .text(value)), ("set in", .text(origin)),
                ])
            }
            let columns = [
                TableColumn("key"), TableColumn("value", wraps: true), TableColumn("set in", wraps: true),
            ]
            try RecordWriter(format).write(records, table: Table(columns, of: records))
            for (key, value) in loaded.configuration.setAside {
                let note =
                    "\(key) = \"\(value.text)\" (\(value.origin)) is not used: it was written for another plugin"
                Message.write(note)
            }
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check the configuration and tell all faults.")

        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            let faults = try options.faults()
            for fault in faults { Message.write("patchbay: " + fault.line) }
            if !faults.isEmpty { throw ExitStatus.invalidConfiguration }
            let loaded = try options.load()
            let chosen = loaded.configuration
            let file = loaded.file ?? "no file, defaults"
            let plugins = "source \(chosen.plugin("source")), storage \(chosen.plugin("storage"))"
            try StandardStream.output.write("ok: \(TerminalText.harmless(file)) (\(plugins))\n")
        }
    }
}
