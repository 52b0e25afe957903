/// A choice among plugins, with the options that follow it: `storage`, `source`. Or options without a choice: `search`.
public struct ConfigurationKind: Sendable {
    /// The key of the choice, and the first word of its options' keys.
    public let name: String
    public let defaultPlugin: String
    /// The options of each plugin, by its name.
    public let options: [(plugin: String, options: [PluginOption])]
    /// Whether there are plugins to choose among; else the name is no key, only the first word of keys.
    public let isChoice: Bool

    public init<Product>(_ registry: Registry<Product>, default defaultPlugin: String) {
        name = registry.kind
        self.defaultPlugin = defaultPlugin
        options = registry.plugins.map { ($0.name, $0.options) }
        isChoice = true
    }

    /// Options that belong to no plugin.
    public init(_ name: String, _ options: [PluginOption]) {
        self.name = name
        defaultPlugin = name
        self.options = [(name, options)]
        isChoice = false
    }

    var pluginNames: [String] { options.map(\.plugin) }

    func options(of plugin: String) -> [PluginOption]? { options.first { $0.plugin == plugin }?.options }

    /// The full keys of all plugins' options, and the key of the choice.
    var keys: [String] {
        var keys = isChoice ? [name] : []
        for option in options.flatMap(\.options) where !keys.contains("\(name).\(option.key)") {
            keys.append("\(name).\(option.key)")
        }
        return keys
    }
}

/// Values from one place: a file, the environment, the command line.
public struct ConfigurationLayer: Sendable {
    public let values: [(key: String, value: ConfigurationValue)]

    public init(_ values: [(key: String, value: ConfigurationValue)]) { self.values = values }

    public init(_ file: ConfigurationFile) {
        values = file.entries.map {
            ($0.key, ConfigurationValue($0.value, .file(path: file.path, line: $0.line)))
        }
    }

    /// The variables that set a key: `PATCHBAY_STORAGE_PATH` sets `storage.path`.
    ///
    /// - Throws: `invalidConfiguration` for the first variable that looks so and sets nothing.
    public init(environment: [String: String], kinds: [ConfigurationKind]) throws {
        let (layer, faults) = ConfigurationLayer.reading(environment: environment, kinds: kinds)
        if let fault = faults.first { throw fault }
        self = layer
    }

    /// The variables that set a key, and an `invalidConfiguration` for each that looks so and sets nothing.
    public static func reading(
        environment: [String: String], kinds: [ConfigurationKind]
    ) -> (layer: ConfigurationLayer, faults: [PatchbayError]) {
        let keys = kinds.flatMap(\.keys)
        let variables = Dictionary(
            uniqueKeysWithValues: keys.map { (ConfigurationLayer.variable(for: $0), $0) })
        var values: [(key: String, value: ConfigurationValue)] = [], faults: [PatchbayError] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            if let key = variables[name] {
                values.append((key, ConfigurationValue(value, .environment(name: name))))
            } else if kinds.contains(where: {
                name.hasPrefix(ConfigurationLayer.variable(for: $0.name) + "_")
            }) {
                let meant = EditDistance.suggestion(for: name, in: variables.keys.sorted())
                faults.append(
                    PatchbayError(
                        .invalidConfiguration,
                        "the environment variable \(name) sets nothing\(meant); unset it"))
            }
        }
        return (ConfigurationLayer(values), faults)
    }

    static func variable(for key: String) -> String {
        "PATCHBAY_" + key.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    }

    func value(of key: String) -> ConfigurationValue? { values.last { $0.key == key }?.value }
}
