public import Patchbay
public import PatchbayCore

extension GatewayConfiguration {
    /// Reads the configuration for the built-in plugins; flags override the environment, the file and the defaults.
    ///
    /// - Parameter file: a file that must exist; nil uses the first of `PATCHBAY_CONFIG`, `./patchbay.conf` and
    ///   `$XDG_CONFIG_HOME/patchbay/patchbay.conf` that exists, or none.
    /// - Throws: `invalidConfiguration` for the first fault.
    public init(
        file: String? = nil, flags: [Flag] = [],
        environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        try self.init(plugins: .builtIn, file: file, flags: flags, environment: environment)
    }

    /// Creates a configuration for the built-in plugins from values in code, without any file or environment variable.
    ///
    ///     try GatewayConfiguration(["storage": "lmdb", "storage.path": "users.lmdb"])
    ///
    /// - Throws: `invalidConfiguration` for the first fault.
    public init(_ values: [String: String]) throws { try self.init(plugins: .builtIn, values) }

    /// Returns all faults of the configuration that ``init(file:flags:environment:)`` would read.
    public static func faults(
        file: String? = nil, flags: [Flag] = [],
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> [PatchbayError] {
        try faults(plugins: .builtIn, file: file, flags: flags, environment: environment)
    }
}
