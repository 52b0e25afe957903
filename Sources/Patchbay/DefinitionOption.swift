import PatchbayCore
import PatchbayDomain

/// The option `definition` of a source: the name of a bundled definition, or a file.
struct DefinitionOption: Sendable {
    static let key = "definition"
    /// The APIs that the option may name.
    let bundled: [SourceAPI]
    /// Creates an API from the definition in a file; nil when the option cannot name a file.
    let describe: (@Sendable (Definition) -> SourceAPI)?

    func option(_ help: String) -> PluginOption {
        PluginOption(Self.key, .nameOrPath, "\(help): \(values)")
    }

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
        if let api = bundled.first(where: { $0.name == name }) { return api }
        if let describe, OptionType.nameOrPath.isPath(name) {
            return try describe(definition(at: name, settings))
        }
        let meant = EditDistance.suggestion(for: name, in: bundled.map(\.name))
        let file = describe == nil ? "" : "; name a file such as ./\(name).conf"
        throw settings.error(
            Self.key, "there is no bundled definition \"\(name)\"\(meant) (known: \(names))\(file)")
    }

    private var names: String { bundled.map(\.name).joined(separator: ", ") }

    private func definition(at path: String, _ settings: Settings) throws -> Definition {
        do {
            guard
                let bytes = try FileReading.bytes(
                    of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
            else { throw settings.error(Self.key, "there is no file \"\(path)\"") }
            return try Definition(ConfigurationFile(path: path, bytes: bytes))
        } catch let fault as FileReading.Fault {
            throw settings.error(Self.key, "the file \"\(path)\" \(fault.words)")
        }
    }
}
