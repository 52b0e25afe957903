import PatchbayCore
import PatchbayDomain
import Synchronization

/// The option `definition` of a source: the name of a bundled definition, or a file.
struct DefinitionOption: Sendable {
    static let key = "definition"
    /// The option with the values of the definition's settings.
    static let settingsKey = "settings"
    /// The APIs that the option may name.
    let bundled: [SourceAPI]
    /// Creates an API from the definition in a file; nil when the option cannot name a file.
    let describe: (@Sendable (Definition) -> SourceAPI)?
    /// A command opens its source several times: to know its resources, and to use it.
    private let described = DescribedFile()

    func option(_ help: String) -> PluginOption {
        PluginOption(Self.key, .nameOrPath, "\(help): \(values)")
    }

    /// The option with the values that a definition needs from the configuration.
    static let settings = PluginOption(
        settingsKey, .text, "values of the definition's settings: NAME=VALUE NAME=VALUE, with %20 for a space"
    )

    /// The values that the option may have.
    private var values: String {
        (describe == nil ? "" : "a file, or ") + "the name of a bundled one (\(names))"
    }

    /// The API that the option selects.
    ///
    /// - Throws: `invalidConfiguration` when the option is not set, for an unknown name, a missing file, and the faults
    ///   of the definition.
    func api(_ settings: Settings) throws -> SourceAPI {
        guard let name = settings.text(Self.key) else {
            throw PatchbayError(
                .invalidConfiguration, "source.\(Self.key) is required; set it to \(values)")
        }
        if let api = bundled.first(where: { $0.name == name }) { return try self.api(api, settings) }
        if let describe, OptionType.nameOrPath.isPath(name) {
            let values = settings.text(Self.settingsKey) ?? ""
            let bytes = try bytes(at: name, settings)
            return try described.api(at: name, bytes, values) {
                let definition = try Definition(ConfigurationFile(path: name, bytes: bytes))
                return try describe(applied(values, to: definition, settings))
            }
        }
        let meant = EditDistance.suggestion(for: name, in: bundled.map(\.name))
        let file = describe == nil ? "" : "; name a file such as ./\(name).conf"
        throw settings.error(
            Self.key, "there is no bundled definition \"\(name)\"\(meant) (known: \(names))\(file)")
    }

    /// Returns a bundled API with the values of its settings.
    ///
    /// - Throws: `invalidConfiguration` for a setting that is absent, unknown or not valid.
    func api(_ api: SourceAPI, _ settings: Settings) throws -> SourceAPI {
        let values = settings.text(Self.settingsKey) ?? ""
        return try described.api(at: api.name, [], values) {
            let definition = try applied(values, to: api.definition, settings)
            return api.definition.settings.isEmpty ? api : describe?(definition) ?? api
        }
    }

    private func applied(
        _ values: String, to definition: Definition, _ settings: Settings
    ) throws -> Definition {
        do throws(DefinitionFault) {
            return try definition.applying(settings: values)
        } catch {
            throw settings.error(Self.settingsKey, error.problem)
        }
    }

    private var names: String { bundled.map(\.name).joined(separator: ", ") }

    private func bytes(at path: String, _ settings: Settings) throws -> [UInt8] {
        do {
            guard
                let bytes = try FileReading.bytes(
                    of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
            else { throw settings.error(Self.key, "there is no file \"\(path)\"") }
            return bytes
        } catch let fault as FileReading.Fault {
            throw settings.error(Self.key, "the file \"\(path)\" \(fault.words)")
        }
    }
}

/// The file, or the bundled definition with values of settings, that was described last.
private final class DescribedFile: Sendable {
    private let last = Mutex<(path: String, bytes: [UInt8], values: String, api: SourceAPI)?>(nil)

    /// Returns the API that `describe` made of the same contents and settings before, or makes it.
    func api(
        at path: String, _ bytes: [UInt8], _ values: String, describe: () throws -> SourceAPI
    ) rethrows -> SourceAPI {
        if let last = last.withLock({ $0 }), last.path == path, last.bytes == bytes, last.values == values {
            return last.api
        }
        let api = try describe()
        last.withLock { $0 = (path, bytes, values, api) }
        return api
    }
}
