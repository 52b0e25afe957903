import PatchbayCore

/// Searches for a configuration file and decides whether it may be used.
struct ConfigurationSearch {
    private let kinds: [ConfigurationKind]
    private let environment: [String: String]

    init(_ kinds: [ConfigurationKind], _ environment: [String: String]) {
        self.kinds = kinds
        self.environment = environment
    }

    /// The effective file as far as it is readable, and every reason not to use it.
    func file(named name: String?) throws -> (file: ConfigurationFile, faults: [PatchbayError])? {
        // An empty variable is not set, as in other programs.
        let variable = environment["PATCHBAY_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        if let path = name ?? variable {
            guard let bytes = try Self.bytes(of: path) else {
                throw PatchbayError(
                    .invalidConfiguration, "the configuration file \"\(path)\" does not exist",
                    name == nil ? [.at(.environment(name: "PATCHBAY_CONFIG"))] : [])
            }
            return ConfigurationFile.reading(path: path, bytes: bytes)
        }
        return try foundFile() ?? homeFile()
    }

    /// The file of the working directory, which the user did not choose.
    private func foundFile() throws -> (file: ConfigurationFile, faults: [PatchbayError])? {
        // A user in the folder of their own configuration has chosen it.
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

    /// Nil without a home folder; then there is no configuration in it.
    private var homePath: String? {
        // The only possible fault is that no home folder is known.
        try? PathExpansion(environment: environment).expand(
            "${XDG_CONFIG_HOME}/patchbay/\(FoundFile.name)", from: nil)
    }

    /// - Throws: `invalidConfiguration` when the file is not fit for a configuration.
    static func bytes(of path: String) throws -> [UInt8]? {
        do {
            return try FileReading.bytes(of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
        } catch {
            throw PatchbayError(
                .invalidConfiguration, "the configuration file \"\(path)\" \(error.words)")
        }
    }
}
