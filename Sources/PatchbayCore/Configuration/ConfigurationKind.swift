/// A choice of plugins and their options, such as `storage` and `source`, or options without a choice, such as
/// `search`.
package struct ConfigurationKind: Sendable {
    /// The key of the choice, and the prefix of its options' keys: `source`, or `source.work` for one of several.
    package let name: String
    /// The plugin that is used when no layer chooses one; the kind's own name for a kind without plugins.
    package let defaultPlugin: String
    /// The options of each plugin, by the plugin's name.
    package let options: [(plugin: String, options: [PluginOption])]
    /// The options that every plugin of the kind has besides its own; ``options`` includes them.
    package let common: [PluginOption]
    /// Whether there are plugins to choose from. If not, the name is not a key, but only the first word of keys.
    package let isChoice: Bool
    /// Whether a configuration may list several: `source = github slack`.
    package let takesSeveral: Bool
    /// Whether the options are those of things that a configuration names: `serve.client.NAME.token`.
    package let takesNames: Bool
    /// The noun for a plugin of the kind in messages.
    let noun: String

    /// - Parameters:
    ///   - common: options that every plugin of the kind has besides its own.
    ///   - takesSeveral: whether the value of the choice is a list of words. Each is the name of a plugin, or a custom
    ///     name whose plugin another key sets: `source = github work` and `source.work = github`.
    package init<Product>(
        _ registry: Registry<Product>, default defaultPlugin: String, common: [PluginOption] = [],
        takesSeveral: Bool = false
    ) {
        name = registry.kind
        noun = registry.kind
        self.defaultPlugin = defaultPlugin
        self.common = common
        self.takesSeveral = takesSeveral
        options = registry.plugins.map { ($0.name, $0.options + common) }
        isChoice = true
        takesNames = false
    }

    /// Options that do not belong to a plugin.
    ///
    /// - Parameter takesNames: whether they belong to each of several things, whose names precede their keys.
    package init(_ name: String, _ options: [PluginOption], takesNames: Bool = false) {
        self.name = name
        self.takesNames = takesNames
        noun = name
        defaultPlugin = name
        self.options = [(name, options)]
        common = []
        isChoice = false
        takesSeveral = false
    }

    /// The kind of one of several: its plugin is the one with that name, unless a key sets another.
    private init(_ kind: ConfigurationKind, named word: String) {
        name = "\(kind.name).\(word)"
        noun = kind.noun
        defaultPlugin = kind.takesNames ? kind.defaultPlugin : word
        options = kind.options
        common = kind.common
        isChoice = !kind.takesNames
        takesSeveral = false
        takesNames = false
    }

    func named(_ word: String) -> ConfigurationKind { ConfigurationKind(self, named: word) }

    var pluginNames: [String] { options.map(\.plugin) }

    func options(of plugin: String) -> [PluginOption]? { options.first { $0.plugin == plugin }?.options }

    func has(_ option: String, _ plugin: String) -> Bool {
        options(of: plugin)?.contains { $0.key == option } ?? false
    }

    /// Whether any plugin has an option with this key.
    func hasOption(_ key: String) -> Bool { options.contains { has(key, $0.plugin) } }

    /// The kinds of the things that layers name; only the kind itself if it takes no names.
    func named(in layers: [ConfigurationLayer]) -> [ConfigurationKind] {
        guard takesNames else { return [self] }
        let words = layers.flatMap(\.values).compactMap { key, _ -> String? in
            guard key.hasPrefix(name + "."),
                case let parts = key.dropFirst(name.utf8.count + 1).split(separator: "."), parts.count == 2,
                NamedChoices.isName(String(parts[0]), of: self)
            else { return nil }
            return String(parts[0])
        }
        return words.distinct.map(named)
    }

    /// The prefix of keys in documentation.
    package var shownName: String { takesNames ? name + ".NAME" : name }

    /// The types that plugins give a key of this kind, including the keys of one of several. It is empty for a choice
    /// of a plugin and for an unknown key.
    package func types(of key: String) -> [OptionType] {
        guard key.hasPrefix(name + ".") else { return [] }
        var option = key.dropFirst(name.utf8.count + 1)
        if takesSeveral || takesNames, let dot = option.firstIndex(of: ".") {
            option = option[option.index(after: dot)...]
        }
        return options.flatMap(\.options).filter { $0.key == option }.map(\.type)
    }

    /// The full keys of all plugins' options, and the key of the choice.
    var keys: [String] {
        if takesNames { return [] }
        var keys = isChoice ? [name] : [], known = Set(keys)
        for option in options.flatMap(\.options) where known.insert("\(name).\(option.key)").inserted {
            keys.append("\(name).\(option.key)")
        }
        return keys
    }
}
