package import PatchbayCore
package import PatchbayGateway

/// A configuration that was found, read and checked, with the plugins that it can choose.
public struct GatewayConfiguration: Sendable {
    /// The plugins that the configuration chooses from.
    package let plugins: PluginSet
    /// The values that are in effect, each with the place where it was set.
    package let configuration: EffectiveConfiguration
    /// The file that was read; nil when there is none.
    package let file: String?
    let environment: [String: String]
    let layers: [ConfigurationLayer]

    /// A value set on the command line, and the option that set it: `--set storage.path=x`.
    public struct Flag: Sendable {
        /// The key that the option sets, such as `storage.path`.
        package let key: String
        let value: ConfigurationValue

        /// Creates a flag; `name` is the option as error messages name it. Key and value are checked when the
        /// configuration is read.
        public init(_ key: String, _ value: String, name: String) {
            self.key = key
            self.value = ConfigurationValue(value, .flag(name: name))
        }
    }

    /// Reads the configuration; flags override the environment, the file and the defaults.
    ///
    /// - Parameter file: a file that must exist; nil uses the first of `PATCHBAY_CONFIG`, `./patchbay.conf` and
    ///   `$XDG_CONFIG_HOME/patchbay/patchbay.conf` that exists, or none.
    /// - Throws: `invalidConfiguration` for the first fault; `permissionDenied` when `./patchbay.conf`, which the user
    ///   did not choose, sets options that need the user's consent (Docs/Security.md).
    public init(
        plugins: PluginSet, file: String? = nil, flags: [Flag] = [],
        environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        let (configuration, faults) = Self.reading(
            try Found(plugins, file: file, environment: environment), plugins: plugins, flags: flags)
        if let fault = faults.first { throw fault }
        self = configuration
    }

    /// Creates a configuration from values in code, without a file and with only the variables that a value names.
    ///
    ///     try GatewayConfiguration(plugins: plugins, ["storage.path": "users.sqlite"])
    ///
    /// - Throws: `invalidConfiguration` for the first fault.
    public init(plugins: PluginSet, _ values: [String: String]) throws {
        let values = values.sorted { $0.key < $1.key }.map { ($0.key, ConfigurationValue($0.value, .code)) }
        self.plugins = plugins
        self.file = nil
        self.environment = Found.withRecordings(ProcessEnvironment.variables)
        self.layers = [ConfigurationLayer(values)]
        self.configuration = try EffectiveConfiguration(kinds: plugins.kinds, layers: layers)
    }

    /// Returns all faults of the configuration that ``init(plugins:file:flags:environment:)`` would read: lines that
    /// are not `key = value`, then invalid keys, values and paths.
    ///
    /// - Throws: errors that prevent the configuration from being read at all.
    public static func faults(
        plugins: PluginSet, file: String? = nil, flags: [Flag] = [],
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> [PatchbayError] {
        let (configuration, faults) = reading(
            try Found(plugins, file: file, environment: environment), plugins: plugins, flags: flags)
        return faults + configuration.pathFaults
    }

    /// The configuration as far as it can be read, and the faults of its lines, keys and values. It is valid only
    /// without faults.
    package static func reading(
        _ found: Found, plugins: PluginSet, flags: [Flag]
    ) -> (configuration: GatewayConfiguration, faults: [PatchbayError]) {
        let parts = Parts(plugins, found, flags: flags)
        let configuration = GatewayConfiguration(plugins, parts)
        let faults = EffectiveConfiguration.faults(kinds: plugins.kinds, layers: parts.layers)
        return (configuration, parts.faults + faults)
    }

    private init(_ plugins: PluginSet, _ parts: Parts) {
        self.plugins = plugins
        self.file = parts.file
        self.environment = parts.environment
        self.layers = parts.layers
        self.configuration = EffectiveConfiguration(unchecked: plugins.kinds, parts.layers)
    }

    /// The configuration with stronger values added; nothing is read again.
    ///
    /// - Throws: `invalidConfiguration` for the first fault.
    package func adding(_ flags: [Flag]) throws -> GatewayConfiguration {
        try GatewayConfiguration(self, layers + [ConfigurationLayer(flags.map { ($0.key, $0.value) })])
    }

    init(_ base: GatewayConfiguration, _ layers: [ConfigurationLayer]) throws {
        self.plugins = base.plugins
        self.file = base.file
        self.environment = base.environment
        self.layers = layers
        self.configuration = try EffectiveConfiguration(kinds: plugins.kinds, layers: layers)
    }

    /// The paths that cannot be expanded.
    package var pathFaults: [PatchbayError] {
        configuration.entries.filter { $0.type.isPath($0.value.text) && !$0.value.text.isEmpty }
            .compactMap(pathFault)
    }

    /// Why secrets cannot be read from their variables and files now. No program is run for one.
    package var secretFaults: [PatchbayError] {
        configuration.entries.filter { $0.type == .secret && !$0.value.text.hasPrefix("command:") }
            .compactMap { entry in
                do {
                    _ = try SecretReading(environment: environment).secret(entry)
                    return nil
                } catch {
                    return error as? PatchbayError
                }
            }
    }

    private func pathFault(_ entry: EffectiveConfiguration.Entry) -> PatchbayError? {
        do {
            _ = try path(entry)
            return nil
        } catch {
            return error
        }
    }

    /// A plugin's options, paths expanded.
    ///
    /// - Parameter kind: `storage`, or for a source the key of the choice (``EffectiveConfiguration/Choice/key``).
    /// - Parameter readsSecrets: if false, secrets are replaced by an empty text, and no file or program is read for
    ///   one.
    /// - Throws: `invalidConfiguration` for a value that its option does not allow.
    func settings(_ kind: String, readsSecrets: Bool = true) throws -> Settings {
        try configuration.settings(kind) { entry in
            switch entry.type {
            case _ where entry.type.isPath(entry.value.text): return try path(entry)
            case .secret: return readsSecrets ? try SecretReading(environment: environment).secret(entry) : ""
            default:
                // The resources of source plugins are read before the faults of a configuration are reported.
                if let fault = entry.fault { throw fault }
                return entry.value.text
            }
        }
    }

    /// Reads a secret from its source.
    func secret(_ key: String) throws -> String {
        guard let entry = configuration.entries.first(where: { $0.key == key && $0.type == .secret }) else {
            throw PatchbayError(.invalidConfiguration, "\(key) is not set")
        }
        return try SecretReading(environment: environment).secret(entry)
    }

    /// The path of a value: `~` and `${NAME}` are replaced, and a relative path is resolved against the file that
    /// contains it.
    ///
    /// `${PATCHBAY_SOURCE_NAME}` is ``sourceName``.
    package func path(_ entry: EffectiveConfiguration.Entry) throws(PatchbayError) -> String {
        do {
            try BundledRecordings.check(entry.value.text, environment)
            let variables = environment.merging([Self.sourceNameVariable: sourceName]) { $1 }
            return try PathExpansion(environment: variables).expand(
                entry.value.text, from: entry.value.folder)
        } catch {
            throw error.adding([.key(entry.key), .at(entry.value.origin)])
        }
    }

    /// The variable that stands for ``sourceName`` in the default paths of storages.
    static let sourceNameVariable = "PATCHBAY_SOURCE_NAME"

    /// The name of the storage when no path is set: the source, or `FILE.recorded` for the recording `FILE.har`. Names
    /// of sources contain no dots, so recorded users, sample users and those of a server share a storage only if a path
    /// is set; nor do those of a source with the name of another plugin. The storage of several sources is named
    /// `patchbay`, even when one of them is chosen.
    package var sourceName: String {
        guard configuration.listed("source").count == 1, let source = sources.first else { return "patchbay" }
        let isPlugin = plugins.sources.plugins.contains { $0.name == source.name }
        let name = source.hasOwnName && isPlugin ? "\(source.name).\(source.plugin)" : source.name
        let path =
            configuration.entries.first { $0.key == "source.path" && $0.type == .path }?.value.text ?? ""
        let file = path.split(separator: "/").last ?? ""
        let stem = file.lowercased().hasSuffix(".har") ? file.dropLast(4) : file
        let isName = !stem.isEmpty && ![".", "..", "~"].contains(stem) && !stem.contains("$")
        return isName ? "\(stem).\(source.plugin)" : name
    }

    /// The effective configuration file, read once for several uses; or that there is none.
    package struct Found: Sendable {
        /// The requested file; nil when it was searched for.
        package let name: String?
        fileprivate let environment: [String: String]
        fileprivate let file: ConfigurationFile?
        fileprivate let faults: [PatchbayError]

        /// - Throws: errors that prevent the file from being read at all.
        package init(
            _ plugins: PluginSet, file name: String?,
            environment: [String: String] = ProcessEnvironment.variables
        ) throws {
            self.name = name
            self.environment = Self.withRecordings(environment)
            let found = try ConfigurationSearch(plugins.kinds, self.environment).file(named: name)
            file = found?.file
            faults = found?.faults ?? []
        }

        /// The variables, including the one for the bundled recordings.
        fileprivate static func withRecordings(_ environment: [String: String]) -> [String: String] {
            var environment = environment
            if environment[BundledRecordings.variable] == nil, let executable = BundledRecordings.executable()
            {
                environment[BundledRecordings.variable] = BundledRecordings.folder(executable: executable)
            }
            return environment
        }
    }

    /// The parts of a configuration.
    private struct Parts {
        let file: String?
        let environment: [String: String]
        let layers: [ConfigurationLayer]
        /// The faults of the file, then of the environment.
        let faults: [PatchbayError]

        init(_ plugins: PluginSet, _ found: Found, flags: [Flag]) {
            var layers: [ConfigurationLayer] = []
            if let file = found.file { layers.append(ConfigurationLayer(file)) }
            let flags = ConfigurationLayer(flags.map { ($0.key, $0.value) })
            let variables = ConfigurationLayer.reading(
                environment: found.environment, kinds: plugins.kinds, beside: layers + [flags])
            layers += [variables.layer, flags]
            self.file = found.file?.path
            self.faults = found.faults + variables.faults
            self.environment = found.environment
            self.layers = layers
        }
    }
}

extension ConfigurationKind {
    /// The options for reading.
    static let reading = ConfigurationKind(
        "reading",
        [
            PluginOption(
                "policy", .choice(Policy.allCases.map(\.rawValue)), default: Policy.localFirst.rawValue,
                "when requests are sent: local-first (after stored rows are returned), local-only (never), "
                    + "remote-first (before; stored rows are returned only if that fails), "
                    + "refresh (like remote-first, but unconditionally)"
            )
        ])

    /// The options for lists.
    static let list = ConfigurationKind(
        "list",
        [
            PluginOption(
                "limit", .integer(1 ... .max), default: "20", "the number of rows that a list shows at a time"
            ),
            PluginOption(
                "maximum", .integer(1 ... .max),
                "the maximum number of rows of a list from its start; no limit when not set"),
        ])
}

extension GatewayConfiguration {
    /// When requests are sent to the source, according to `reading.policy`. Each use case takes its policy as an
    /// argument.
    package func policy() throws -> Policy {
        try settings("reading").text("policy").flatMap(Policy.init) ?? .localFirst
    }

    /// The number of rows that a list shows at a time (`list.limit`).
    package func listLimit() throws -> Int { try settings("list").integer("limit") ?? 20 }

    /// The maximum number of rows of a list from its start (`list.maximum`); nil for no limit.
    package func listMaximum() throws -> Int? { try settings("list").integer("maximum") }
}
