import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay plugins`: lists the plugins that a configuration can choose, and their options.
struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "List the available plugins, or show the options of one.",
        subcommands: [List.self, Show.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the sources, storages, networkings and servings.",
            aliases: ["ls"])

        @OptionGroup var output: OutputOptions

        func run() throws {
            let records = CommandLineTool.plugins.descriptions.map {
                OutputRecord([
                    ("kind", .text($0.kind)), ("name", .text($0.name)), ("summary", .text($0.summary)),
                ])
            }
            let columns = [TableColumn("kind"), TableColumn("name"), TableColumn("summary", wraps: true)]
            try RecordWriter(output.format).write(records, columns: columns)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a plugin's options.")

        @Argument(
            help: "The plugin's name.", completion: .list(CommandLineTool.plugins.descriptions.map(\.name)))
        var name: String

        @OptionGroup var output: OutputOptions

        func run() throws {
            let plugins = CommandLineTool.plugins.descriptions
            guard let plugin = plugins.first(where: { $0.name == name }) else {
                throw PatchbayError(
                    .notFound, EditDistance.unknown("plugin", name, in: plugins.map(\.name)))
            }
            let records = (plugin.options + plugin.common).map { option in
                OutputRecord([
                    ("key", .text("\(plugin.kind).\(option.key)")), ("type", .text(option.type.word)),
                    ("default", OutputValue(option.defaultValue)), ("help", .text(option.help)),
                ])
            }
            let columns = ["key", "type", "default", "help"].map { TableColumn($0, wraps: $0 != "key") }
            try RecordWriter(output.format).write(records, columns: columns)
        }
    }
}

/// A plugin of any kind, as commands show it.
struct PluginDescription {
    let kind: String
    let name: String
    let summary: String
    /// Its own options.
    let options: [PluginOption]
    let common: [PluginOption]

    /// - Parameter common: the options that all plugins of the kind share.
    init<Product>(_ kind: String, _ plugin: Plugin<Product>, common: [PluginOption] = []) {
        self.kind = kind
        self.common = common
        name = plugin.name
        summary = plugin.summary
        options = plugin.options
    }
}

extension PluginSet {
    var descriptions: [PluginDescription] {
        let common = kinds.first { $0.name == sources.kind }?.common ?? []
        return sources.plugins.map { PluginDescription(sources.kind, $0, common: common) }
            + storages.plugins.map { PluginDescription(storages.kind, $0) }
            + networkings.plugins.map { PluginDescription(networkings.kind, $0) }
            + servings.plugins.map { PluginDescription(servings.kind, $0) }
    }

    /// All keys that a configuration may set, such as `storage` and `storage.path`.
    var keys: [String] {
        let options = kinds.filter(\.isChoice).flatMap { kind in
            Set(kind.options.flatMap(\.options).map(\.key)).map { "\(kind.name).\($0)" }
        }
        return kinds.filter { !$0.takesNames }.map(\.name) + options.sorted()
    }

    /// Describes the default of an option that falls back to a key: `list.limit of the configuration, else 20`.
    func words(for key: String) -> String {
        let kind = kinds.first { key.hasPrefix($0.name + ".") }
        let known = kind?.options.lazy.flatMap(\.options).first { key.hasSuffix("." + $0.key) }
        let placeholder = known?.defaultValue.map { ", else \($0)" } ?? ""
        return "\(key) of the configuration\(placeholder)"
    }
}
