import ArgumentParser
import Patchbay
import PatchbayCore

/// `patchbay plugins`: what a configuration can choose.
struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "List the storages and sources, or show the options of one.",
        subcommands: [List.self, Show.self])
}

extension PluginsCommand {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the storages and sources.")

        @Option(help: "Print as \(OutputFormat.words).")
        var format = OutputFormat.table

        func run() throws {
            let plugins = CommandLineTool.plugins.descriptions
            let records = plugins.map {
                OutputRecord(fields: [("kind", .text($0.kind)), ("name", .text($0.name)), ("summary", .text($0.summary))])
            }
            try RecordWriter(format).write(records) {
                Table(
                    [TableColumn("kind"), TableColumn("name"), TableColumn("summary", isElastic: true)],
                    plugins.map { [$0.kind, $0.name, $0.summary] })
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a plugin's options.")

        @Argument(help: "The plugin's name.")
        var name: String

        @Option(help: "Print as \(OutputFormat.words).")
        var format = OutputFormat.table

        func run() throws {
            let plugins = CommandLineTool.plugins.descriptions
            guard let plugin = plugins.first(where: { $0.name == name }) else {
                let known = plugins.map(\.name)
                let nearest = EditDistance.nearest(to: name, in: known).map { " (did you mean \"\($0)\"?)" } ?? ""
                throw PatchbayError(
                    .notFound, "there is no plugin \"\(name)\"\(nearest); known: \(known.joined(separator: ", "))")
            }
            let rows = plugin.options.map { option in
                [("key", "\(plugin.kind).\(option.key)"), ("type", option.type.word),
                 ("default", option.defaultValue ?? ""), ("help", option.help)]
            }
            try RecordWriter(format).write(rows.map { OutputRecord(fields: $0.map { ($0.0, .text($0.1)) }) }) {
                let columns = ["key", "type", "default", "help"].map { TableColumn($0, isElastic: $0 == "help") }
                return Table(columns, rows.map { $0.map(\.1) })
            }
        }
    }
}

/// A plugin of any kind, as the commands show it.
struct PluginDescription {
    let kind: String
    let name: String
    let summary: String
    let options: [PluginOption]

    init<Product>(_ kind: String, _ plugin: Plugin<Product>) {
        self.kind = kind
        name = plugin.name
        summary = plugin.summary
        options = plugin.options
    }
}

extension PluginSet {
    var descriptions: [PluginDescription] {
        sources.plugins.map { PluginDescription(sources.kind, $0) }
            + storages.plugins.map { PluginDescription(storages.kind, $0) }
    }
}
