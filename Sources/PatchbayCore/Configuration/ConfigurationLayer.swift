/// Values from one origin: a file, the environment or the command line.
package struct ConfigurationLayer: Sendable {
    /// The keys and their values; the last value of a key counts.
    package let values: [(key: String, value: ConfigurationValue)]

    /// Creates a layer from keys and values, such as the options of a command line. The keys are checked later, by
    /// ``EffectiveConfiguration/faults(kinds:layers:)``.
    package init(_ values: [(key: String, value: ConfigurationValue)]) { self.values = values }

    /// Creates the layer of a configuration file; each value's origin is its line.
    package init(_ file: ConfigurationFile) {
        values = file.entries.map {
            ($0.key, ConfigurationValue($0.value, .file(path: file.path, line: $0.line)))
        }
    }

    /// Reads the environment variables that set a key: `PATCHBAY_STORAGE_PATH` sets `storage.path`.
    ///
    /// - Throws: `invalidConfiguration` for the first variable that looks like one but sets no key.
    package init(environment: [String: String], kinds: [ConfigurationKind]) throws {
        let (layer, faults) = ConfigurationLayer.reading(environment: environment, kinds: kinds)
        if let fault = faults.first { throw fault }
        self = layer
    }

    /// Reads the environment variables that set a key; returns an `invalidConfiguration` for each that looks like one
    /// but sets no key.
    ///
    /// - Parameter layers: other layers, which may list several plugins of a kind: with `source = github work` the
    ///   variable `PATCHBAY_SOURCE_WORK_TOKEN` sets `source.work.token`.
    package static func reading(
        environment: [String: String], kinds: [ConfigurationKind], beside layers: [ConfigurationLayer] = []
    ) -> (layer: ConfigurationLayer, faults: [PatchbayError]) {
        let lists = kinds.filter(\.takesSeveral).compactMap { kind in
            environment[variable(for: kind.name)].map {
                (key: kind.name, value: ConfigurationValue($0, .defaultValue))
            }
        }
        let all = layers + [ConfigurationLayer(lists)]
        let keys =
            kinds.flatMap(\.keys)
            + kinds.filter(\.takesSeveral).flatMap { kind in
                NamedChoices.listed(kind, in: all).flatMap { kind.named($0).keys }
            } + kinds.filter(\.takesNames).flatMap { $0.named(in: all).flatMap(\.keys) }
        // When two keys have the same variable, the first key wins: an option precedes the same words of one of
        // several.
        let variables = Dictionary(
            keys.map { (ConfigurationLayer.variable(for: $0), $0) }, uniquingKeysWith: { first, _ in first })
        let beginnings = kinds.map { ConfigurationLayer.variable(for: $0.name) + "_" }
        var values: [(key: String, value: ConfigurationValue)] = [], faults: [PatchbayError] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            if let key = variables[name] {
                values.append((key, ConfigurationValue(value, .environment(name: name))))
            } else if beginnings.contains(where: name.hasPrefix) {
                let meant = EditDistance.suggestion(for: name, in: variables.keys.sorted())
                faults.append(
                    PatchbayError(
                        .invalidConfiguration,
                        "the environment variable \(name) does not set an option\(meant); unset it"))
            }
        }
        return (ConfigurationLayer(values), faults)
    }

    /// The name of the variable that sets a key. Replaces bytes instead of characters, because every start computes the
    /// variables of all keys.
    static func variable(for key: String) -> String {
        let name = key.uppercased().utf8.map { byte in
            byte.isASCIIAlphanumeric || byte >= 0x80 ? byte : UInt8(ascii: "_")
        }
        return "PATCHBAY_" + String(decoding: name, as: UTF8.self)
    }

    func value(of key: String) -> ConfigurationValue? { values.last { $0.key == key }?.value }
}
