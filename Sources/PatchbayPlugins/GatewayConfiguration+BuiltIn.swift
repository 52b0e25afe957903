public import Patchbay
public import PatchbayCore

extension GatewayConfiguration {
    /// Reads the configuration of all that comes with Patchbay: flags over environment over file over defaults.
    ///
    /// - Parameter file: a file that must exist; nil looks for `PATCHBAY_CONFIG`, `./patchbay.conf` and
    ///   `$XDG_CONFIG_HOME/patchbay/patchbay.conf`, in this order, and does without when none is there.
    /// - Throws: `invalidConfiguration` for the first fault.
    public init(
        file: String? = nil, flags: [Flag] = [],
        environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        try self.init(plugins: .builtIn, file: file, flags: flags, environment: environment)
    }

    /// Takes the values as they stand in code, for all that comes with Patchbay: no file and no variable counts.
    ///
    ///     try GatewayConfiguration(["storage": "lmdb", "storage.path": "users.lmdb"])
    ///
    /// - Throws: `invalidConfiguration` for the first fault.
    public init(_ values: [String: String]) throws { try self.init(plugins: .builtIn, values) }

    /// Every fault of the configuration that ``init(file:flags:environment:)`` would read.
    public static func faults(
        file: String? = nil, flags: [Flag] = [],
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> [PatchbayError] {
        try faults(plugins: .builtIn, file: file, flags: flags, environment: environment)
    }
}
