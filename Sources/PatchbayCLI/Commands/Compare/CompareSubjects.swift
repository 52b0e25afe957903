import Patchbay
import PatchbayCompare
import PatchbayTerminal

/// The storages to compare with their settings: first those from configuration files, then those given by name.
struct CompareSubjects {
    private(set) var subjects: [Subject] = []

    init(_ options: CompareOptions) throws {
        for file in options.configs {
            let configuration = try GatewayConfiguration(
                plugins: CommandLineTool.plugins, file: file, environment: ProcessEnvironment.withoutStorage)
            let entries = configuration.configuration.entries.filter { $0.key.hasPrefix("storage.") }
            try add(
                configuration.configuration.plugin("storage"),
                entries.map { (String($0.key.dropFirst("storage.".count)), $0.type, $0.value.text) },
                name: Self.name(of: file), options)
        }
        for storage in options.storage.values {
            if let engine = CommandLineTool.engines.first(where: { $0.name == storage }) {
                let durability = options.durability ?? .full
                try add(
                    engine.name, [("durability", .text, durability.rawValue)], name: engine.name, options)
                continue
            }
            let plugin = try CommandLineTool.plugins.storages.plugin(named: storage)
            let values = plugin.options.compactMap { option in option.defaultValue.map { (option, $0) } }
            try add(
                plugin.name, values.map { (key: $0.0.key, type: $0.0.type, value: $0.1) }, name: storage,
                options)
        }
    }

    private mutating func add(
        _ storage: String, _ values: [(key: String, type: OptionType, value: String)], name: String,
        _ options: CompareOptions
    ) throws {
        var settings: [NameAndValue] = []
        // The comparison chooses paths and similar options itself, so that it never opens an existing storage.
        for value in values where value.type != .path && value.type != .space {
            guard value.type != .secret else {
                throw PatchbayError(
                    .unsupported,
                    "the storage \"\(storage)\" needs a secret, storage.\(value.key); it cannot be compared")
            }
            let chosen = value.key == "durability" ? options.durability?.rawValue : nil
            settings.append(NameAndValue(value.key, chosen ?? value.value))
        }
        subjects.append(Subject(name: unused(name), storage: storage, settings: settings))
    }

    /// Returns the name, with a number appended if it is already taken.
    private func unused(_ name: String) -> String {
        let names = subjects.map(\.name)
        guard names.contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !names.contains($0) }!
    }

    /// Returns a configuration file's name without its folder and extension.
    private static func name(of file: String) -> String {
        let last = file.split(separator: "/").last.map(String.init) ?? file
        return last.hasSuffix(".conf") && last.count > 5 ? String(last.dropLast(5)) : last
    }
}
