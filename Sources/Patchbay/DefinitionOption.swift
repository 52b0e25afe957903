import PatchbayCore
import PatchbayDomain
import Synchronization

/// The option `definition` of a source: the name of a bundled definition, or a file.
struct DefinitionOption: Sendable {
    static let key = "definition"
    /// The APIs that the option may name.
    let bundled: [SourceAPI]
    /// Creates an API from the definition in a file; nil when the option cannot name a file.
    let describe: (@Sendable (Definition) -> SourceAPI)?
    /// A command opens its source several times: to know its resources, and to use it.
    private let described = DescribedFile()

    init(bundled: [SourceAPI], describe: (@Sendable (Definition) -> SourceAPI)?) {
        self.bundled = bundled
        self.describe = describe
    }

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
            let bytes = try bytes(at: name, settings)
            return try described.api(at: name, bytes) {
                try describe(Definition(ConfigurationFile(path: name, bytes: bytes)))
            }
        }
        let meant = EditDistance.suggestion(for: name, in: bundled.map(\.name))
        let file = describe == nil ? "" : "; name a file such as ./\(name).conf"
        throw settings.error(
            Self.key, "there is no bundled definition \"\(name)\"\(meant) (known: \(names))\(file)")
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

/// The file that was described last.
private final class DescribedFile: Sendable {
    private let last = Mutex<(path: String, bytes: [UInt8], api: SourceAPI)?>(nil)

    /// Returns the API that `describe` made of the same contents before, or makes it.
    func api(at path: String, _ bytes: [UInt8], describe: () throws -> SourceAPI) rethrows -> SourceAPI {
        if let last = last.withLock({ $0 }), last.path == path, last.bytes == bytes { return last.api }
        let api = try describe()
        last.withLock { $0 = (path, bytes, api) }
        return api
    }
}
