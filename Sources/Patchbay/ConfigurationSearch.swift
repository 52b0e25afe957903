import PatchbayCore

/// Where a configuration file may be, and whether it is taken.
struct ConfigurationSearch {
    private let kinds: [ConfigurationKind]
    private let environment: [String: String]

    init(_ kinds: [ConfigurationKind], _ environment: [String: String]) {
        self.kinds = kinds
        self.environment = environment
    }

    /// The file that counts, as far as it can be read, and every reason not to take it.
    func file(named name: String?) throws -> (file: ConfigurationFile, faults: [PatchbayError])? {
        if let path = name ?? environment["PATCHBAY_CONFIG"] {
            guard let bytes = try Self.bytes(of: path) else {
                throw PatchbayError(
                    .invalidConfiguration, "the configuration file \"\(path)\" does not exist",
                    ["set in": name == nil ? "environment PATCHBAY_CONFIG" : "option --config"])
            }
            return ConfigurationFile.reading(path: path, bytes: bytes)
        }
        return try foundFile() ?? homeFile()
    }

    /// The file of the working directory, which nobody chose.
    private func foundFile() throws -> (file: ConfigurationFile, faults: [PatchbayError])? {
        // Who stands in the folder of their own configuration has chosen it.
        if let place = ResolvedPath.existing(FoundFile.name), let homePath,
            ResolvedPath.existing(homePath) == place
        {
            return nil
        }
        guard let bytes = try Self.bytes(of: FoundFile.name) else { return nil }
        var (file, faults) = ConfigurationFile.reading(path: FoundFile.name, bytes: bytes)
        let found = try FoundFile(file, bytes: bytes, kinds, environment)
        if let refusal = try found.refusal() { faults.insert(refusal, at: 0) }
        return (file, faults)
    }

    private func homeFile() throws -> (file: ConfigurationFile, faults: [PatchbayError])? {
        guard let path = homePath else { return nil }
        return try Self.bytes(of: path).map { ConfigurationFile.reading(path: path, bytes: $0) }
    }

    /// Nil without a home, in which there is no configuration then.
    private var homePath: String? {
        // The only fault is that no home is known.
        try? PathExpansion(environment: environment).expand(
            "${XDG_CONFIG_HOME}/patchbay/\(FoundFile.name)", from: nil)
    }

    /// - Throws: `invalidConfiguration` when the file is not one to take a configuration from.
    static func bytes(of path: String) throws -> [UInt8]? {
        do {
            return try FileReading.bytes(of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
        } catch {
            throw PatchbayError(
                .invalidConfiguration, "the configuration file \"\(path)\" \(error.words)")
        }
    }
}
