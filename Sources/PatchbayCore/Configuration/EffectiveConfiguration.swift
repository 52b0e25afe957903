/// The effective configuration of all layers: the chosen plugins and their options, each with its origin.
///
/// A later layer overrides an earlier one. Options belong to the plugin for which they were written. When a layer
/// chooses another storage than the file, the file's `storage.` options are set aside, so that `--storage lmdb` with a
/// configuration for SQLite does not open SQLite's file.
package struct EffectiveConfiguration: Sendable {
    /// An effective value and its type.
    package struct Entry: Sendable {
        /// The whole key: `storage`, `storage.path`.
        package let key: String
        /// The value of the strongest layer that sets the key, or the default.
        package let value: ConfigurationValue
        /// The type of the option. A kind's own key is a `choice`, or `text` when it lists several plugins.
        package let type: OptionType
    }

    /// The chosen plugins of each kind and all of their options that have a value, in the order of declaration.
    package let entries: [Entry]
    /// Values that were written for plugins that are not chosen.
    package let setAside: [(key: String, value: ConfigurationValue)]
    private let chosen: [String: [Choice]]
    /// For a kind that takes several, the listed names from which a stronger layer chose.
    private let listed: [String: [String]]

    /// A chosen plugin and the prefix of its options' keys.
    package struct Choice: Sendable, Hashable {
        /// The word in the list of a kind that takes several; otherwise the plugin's name.
        package let name: String
        /// The name of the plugin.
        package let plugin: String
        /// The prefix of its options' keys: `source`, or `source.work` when several are possible.
        package let key: String
        /// Where it was chosen.
        package let origin: ConfigurationValue.Origin

        /// Whether the name differs from the plugin's.
        package var hasOwnName: Bool { name != plugin }

        fileprivate init(_ kind: ConfigurationKind, _ choice: ConfigurationValue, of list: NamedChoices?) {
            name = list == nil ? choice.text : kind.defaultPlugin
            plugin = choice.text
            key = kind.name
            origin = list?.choice.origin ?? choice.origin
        }
    }

    /// - Parameter layers: ordered from weakest to strongest.
    /// - Throws: `invalidConfiguration` for the first fault that ``faults(kinds:layers:)`` finds.
    package init(kinds: [ConfigurationKind], layers: [ConfigurationLayer]) throws {
        if let fault = EffectiveConfiguration.faults(kinds: kinds, layers: layers).first { throw fault }
        self.init(unchecked: kinds, layers)
    }

    /// Reads the layers in spite of faults, to find further faults.
    package init(unchecked kinds: [ConfigurationKind], _ layers: [ConfigurationLayer]) {
        let spelled = SpelledLayers(kinds, layers)
        var entries: [Entry] = [], setAside = spelled.setAside, chosen: [String: [Choice]] = [:]
        for kind in kinds {
            let named = spelled.named[kind.name].flatMap { $0.isPlain ? nil : $0 }
            if let named { entries.append(Entry(key: kind.name, value: named.choice, type: .text)) }
            for each in named?.kinds ?? kind.named(in: spelled.layers) {
                let choice = each.choice(in: spelled.layers)
                chosen[kind.name, default: []].append(Choice(each, choice, of: named))
                // A listed name that is a plugin's needs no separate line.
                if each.isChoice, named == nil || choice.origin != .defaultValue {
                    entries.append(Entry(key: each.name, value: choice, type: .choice(kind.pluginNames)))
                }
                let (used, unused) = each.split(spelled.layers, for: choice.text)
                setAside += unused
                entries += each.entries(of: choice.text, used)
            }
        }
        self.entries = entries
        self.setAside = setAside
        self.chosen = chosen
        listed = spelled.named.mapValues(\.listed)
    }

    /// The name of the chosen plugin; the first one when several are listed.
    package func plugin(_ kind: String) -> String { chosen[kind]![0].plugin }

    /// The plugins of a kind: one, or the listed ones in order.
    package func choices(_ kind: String) -> [Choice] { chosen[kind] ?? [] }

    /// The listed names, including those that a stronger layer did not choose.
    package func listed(_ kind: String) -> [String] { listed[kind] ?? [] }

    /// The chosen plugin's options, each value converted by `resolve`, such as a path expanded or a secret read.
    ///
    /// - Parameter kind: ``Choice/key``.
    package func settings(_ kind: String, resolve: (Entry) throws -> String) rethrows -> Settings {
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
    /// Returns all faults in the layers' keys and values, in the order of the layers.
    package static func faults(kinds: [ConfigurationKind], layers: [ConfigurationLayer]) -> [PatchbayError] {
        let spelled = SpelledLayers(kinds, layers)
        return spelled.values.compactMap { spelled.fault(of: $0) }
    }
}

extension SpelledLayers {
    fileprivate func fault(of written: Value) -> PatchbayError? {
        func error(_ message: String) -> PatchbayError {
            PatchbayError(.invalidConfiguration, message, [.at(written.value.origin)])
        }
        let key: String, value = written.value
        switch written.reading {
        case .fault(let message): return error(message)
        case .setAside: return nil
        case .used(let spelled): key = spelled
        }
        // Faults of a list are reported already.
        if named[key] != nil { return nil }
        if let kind = kinds.first(where: { $0.isChoice && $0.name == key }) {
            if kind.pluginNames.contains(value.text) { return nil }
            return error(EditDistance.unknown(kind.noun, value.text, in: kind.pluginNames))
        }
        let kind = kinds.filter { key.hasPrefix($0.name + ".") }.max {
            $0.name.utf8.count < $1.name.utf8.count
        }
        guard let kind, let options = kind.optionsOf(key: key) else {
            let meant = EditDistance.suggestion(for: key, in: kinds.flatMap(\.keys))
            return error("unknown key \"\(key)\"\(meant); check the options of the plugins")
        }
        let chosen = kind.choice(in: layers).text
        let isUsed = kind.split(layers, for: chosen).used.contains { $0.key == key && $0.value == value }
        guard isUsed, kind.pluginNames.contains(chosen) else { return nil }
        guard let option = options.first(where: { $0.plugin == chosen })?.option else {
            let owners = options.map(\.plugin).joined(separator: ", ")
            return error("\(kind.noun) \"\(chosen)\" has no option \"\(key)\"; it belongs to \(owners)")
        }
        return EffectiveConfiguration.Entry(key: key, value: value, type: option.type).fault
    }
}

extension EffectiveConfiguration.Entry {
    /// Why the value is not valid for its type, or nil.
    package var fault: PatchbayError? {
        // A value in the place of a secret's source may be the secret itself.
        let shown = type == .secret ? key : "\(key) = \"\(value.shownText)\""
        return type.fault(in: value.text).map {
            PatchbayError(.invalidConfiguration, "\(shown) \($0)", [.at(value.origin)])
        }
    }
}

/// Layers in which each key belongs to one kind; keys of a kind that takes several are rewritten with its names.
private struct SpelledLayers {
    /// A layer's value and how it is read.
    struct Value {
        let key: String
        let value: ConfigurationValue
        let reading: NamedChoices.Reading
    }

    let kinds: [ConfigurationKind]
    let layers: [ConfigurationLayer]
    let values: [Value]
    let setAside: [(key: String, value: ConfigurationValue)]
    /// The kinds that take several, by name.
    let named: [String: NamedChoices]

    init(_ kinds: [ConfigurationKind], _ layers: [ConfigurationLayer]) {
        let several = kinds.filter(\.takesSeveral).map { NamedChoices($0, layers) }
        var spelled: [ConfigurationLayer] = [], all: [Value] = []
        for (position, layer) in layers.enumerated() {
            var written: [String: String] = [:]
            let values = layer.values.map { key, value in
                var reading = several.lazy.compactMap { $0.reading(key, value, at: position) }.first
                if case .used(let spelled)? = reading {
                    if let other = written[spelled], other != key {
                        reading = .fault("\(key) and \(other) are the same; remove one of them")
                    }
                    written[spelled] = key
                }
                return Value(key: key, value: value, reading: reading ?? .used(key))
            }
            spelled.append(
                ConfigurationLayer(
                    values.compactMap { written in
                        guard case .used(let key) = written.reading else { return nil }
                        return (key, written.value)
                    }))
            all += values
        }
        self.layers = spelled
        values = all
        setAside = all.compactMap { written in
            guard case .setAside = written.reading else { return nil }
            return (written.key, written.value)
        }
        named = Dictionary(uniqueKeysWithValues: several.map { ($0.kind.name, $0) })
        self.kinds = kinds.flatMap { [named, layers = self.layers] kind in
            named[kind.name]?.kinds ?? kind.named(in: layers)
        }
    }
}

extension ConfigurationKind {
    /// The strongest layer's choice of a plugin.
    fileprivate func choice(in layers: [ConfigurationLayer]) -> ConfigurationValue {
        layers.reversed().lazy.compactMap { $0.value(of: name) }.first
            ?? ConfigurationValue(defaultPlugin, .defaultValue)
    }

    /// The options' values for a plugin, and the values that were written for another one: by a layer that names it, or
    /// by a layer that names none when a stronger layer chose a plugin without that option.
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
                    named.map { $0.text != plugin }
                    ?? (position < choosing && !has(String(value.key.dropFirst(name.utf8.count + 1)), plugin))
                if isForeign { unused.append(value) } else { used.append(value) }
            }
        }
        return (used, unused)
    }

    /// Every option of a plugin that has a value, in the order of declaration.
    fileprivate func entries(
        of plugin: String, _ values: [(key: String, value: ConfigurationValue)]
    ) -> [EffectiveConfiguration.Entry] {
        (options(of: plugin) ?? []).compactMap { option in
            let key = "\(name).\(option.key)"
            let value = values.last { $0.key == key }?.value
            let effective = value ?? option.defaultValue.map { ConfigurationValue($0, .defaultValue) }
            return effective.map { .init(key: key, value: $0, type: option.type) }
        }
    }

    /// The plugins that have a key, with its option; nil when none does.
    fileprivate func optionsOf(key: String) -> [(plugin: String, option: PluginOption)]? {
        let found = options.flatMap { plugin, options in
            options.filter { "\(name).\($0.key)" == key }.map { (plugin: plugin, option: $0) }
        }
        return found.isEmpty ? nil : found
    }
}
