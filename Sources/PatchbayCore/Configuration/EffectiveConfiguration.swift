/// What holds after all layers were read: the chosen plugins and their options, each with where it comes from.
///
/// A later layer wins over an earlier one. Options follow the plugin they were written for: when a layer chooses
/// another storage than the file did, the file's `storage.` options are set aside, so that `--storage lmdb` beside a
/// configuration for SQLite does not open SQLite's file.
public struct EffectiveConfiguration: Sendable {
    /// A value that holds, and what it must look like.
    public struct Entry: Sendable {
        public let key: String
        public let value: ConfigurationValue
        public let type: OptionType
    }

    /// The chosen plugin of each kind, and every option of it that has a value, in the order of their declaration.
    public let entries: [Entry]
    /// Values that were written for a plugin that is not chosen.
    public let setAside: [(key: String, value: ConfigurationValue)]
    private let plugins: [String: String]

    /// - Parameter layers: from the weakest to the strongest.
    /// - Throws: `invalidConfiguration` for the first fault that ``faults(kinds:layers:)`` finds.
    public init(kinds: [ConfigurationKind], layers: [ConfigurationLayer]) throws {
        if let fault = EffectiveConfiguration.faults(kinds: kinds, layers: layers).first { throw fault }
        self.init(unchecked: kinds, layers)
    }

    /// The same in spite of faults, to look for more of them.
    package init(unchecked kinds: [ConfigurationKind], _ layers: [ConfigurationLayer]) {
        var entries: [Entry] = [], setAside: [(key: String, value: ConfigurationValue)] = []
        var plugins: [String: String] = [:]
        for kind in kinds {
            let choice = kind.choice(in: layers)
            plugins[kind.name] = choice.text
            if kind.isChoice {
                entries.append(Entry(key: kind.name, value: choice, type: .choice(kind.pluginNames)))
            }
            let (used, unused) = kind.split(layers, for: choice.text)
            setAside += unused
            for option in kind.options(of: choice.text) ?? [] {
                let key = "\(kind.name).\(option.key)"
                let value = used.last { $0.key == key }?.value
                let defaultValue = option.defaultValue.map { ConfigurationValue($0, .defaultValue) }
                if let value = value ?? defaultValue {
                    entries.append(Entry(key: key, value: value, type: option.type))
                }
            }
        }
        self.entries = entries
        self.setAside = setAside
        self.plugins = plugins
    }

    /// The name of the chosen plugin.
    public func plugin(_ kind: String) -> String { plugins[kind]! }

    /// The chosen plugin's options, each value as `resolve` gives it: a path expanded, a secret read.
    public func settings(_ kind: String, resolve: (Entry) throws -> String) rethrows -> Settings {
        var values: [String: ConfigurationValue] = [:]
        var secretKeys: Set<String> = []
        for entry in entries where entry.key.hasPrefix(kind + ".") {
            let key = String(entry.key.dropFirst(kind.count + 1))
            values[key] = ConfigurationValue(try resolve(entry), entry.value.origin)
            if entry.type == .secret { secretKeys.insert(key) }
        }
        return Settings(kind, values, secretKeys: secretKeys)
    }
}

// MARK: - Faults

extension EffectiveConfiguration {
    /// Everything that is wrong with the layers' keys and values, in the layers' order.
    public static func faults(kinds: [ConfigurationKind], layers: [ConfigurationLayer]) -> [PatchbayError] {
        layers.flatMap(\.values).compactMap { fault(key: $0.key, $0.value, kinds, layers) }
    }

    private static func fault(
        key: String, _ value: ConfigurationValue, _ kinds: [ConfigurationKind], _ layers: [ConfigurationLayer]
    ) -> PatchbayError? {
        func error(_ message: String) -> PatchbayError {
            PatchbayError(.invalidConfiguration, message, ["at": value.origin.description])
        }
        if let kind = kinds.first(where: { $0.isChoice && $0.name == key }) {
            if kind.pluginNames.contains(value.text) { return nil }
            let meant = EditDistance.suggestion(for: value.text, in: kind.pluginNames)
            let known = kind.pluginNames.joined(separator: ", ")
            return error("there is no \(kind.name) \"\(value.text)\"\(meant); known: \(known)")
        }
        let kind = kinds.first { key.hasPrefix($0.name + ".") }
        guard let kind, let options = kind.optionsOf(key: key) else {
            let meant = EditDistance.suggestion(for: key, in: kinds.flatMap(\.keys))
            return error("unknown key \"\(key)\"\(meant); \"patchbay plugins list\" tells the plugins")
        }
        let chosen = kind.choice(in: layers).text
        let isUsed = kind.split(layers, for: chosen).used.contains { $0.key == key && $0.value == value }
        guard isUsed, kind.pluginNames.contains(chosen) else { return nil }
        guard let option = options.first(where: { $0.plugin == chosen })?.option else {
            return error(
                "\(kind.name) \"\(chosen)\" has no option \"\(key)\"; it belongs to \(options[0].plugin)")
        }
        // What stands where a secret's place should may be the secret.
        let shown = option.type == .secret ? key : "\(key) = \"\(value.shownText)\""
        return option.type.fault(in: value.text).map { error("\(shown) \($0)") }
    }
}

extension ConfigurationKind {
    /// The strongest layer's choice of a plugin.
    fileprivate func choice(in layers: [ConfigurationLayer]) -> ConfigurationValue {
        layers.reversed().lazy.compactMap { $0.value(of: name) }.first
            ?? ConfigurationValue(defaultPlugin, .defaultValue)
    }

    /// The options' values that count for a plugin, and those that were written for another one: by a layer that names
    /// it, or by one that names none, where a stronger layer chose a plugin without that option.
    fileprivate func split(
        _ layers: [ConfigurationLayer], for plugin: String
    ) -> (
        used: [(key: String, value: ConfigurationValue)], unused: [(key: String, value: ConfigurationValue)]
    ) {
        var used: [(key: String, value: ConfigurationValue)] = [], unused = used
        let choosing = layers.lastIndex { $0.value(of: name) != nil } ?? layers.startIndex
        for (position, layer) in layers.enumerated() {
            let values = layer.values.filter { $0.key.hasPrefix(name + ".") }
            let named = layer.value(of: name)
            for value in values {
                let isForeign =
                    named.map { $0.text != plugin } ?? (position < choosing && !has(value.key, plugin))
                if isForeign { unused.append(value) } else { used.append(value) }
            }
        }
        return (used, unused)
    }

    private func has(_ key: String, _ plugin: String) -> Bool {
        options(of: plugin)?.contains { "\(name).\($0.key)" == key } ?? false
    }

    /// The plugins that know a key; nil when none does.
    fileprivate func optionsOf(key: String) -> [(plugin: String, option: PluginOption)]? {
        let found = options.flatMap { plugin, options in
            options.filter { "\(name).\($0.key)" == key }.map { (plugin: plugin, option: $0) }
        }
        return found.isEmpty ? nil : found
    }
}
