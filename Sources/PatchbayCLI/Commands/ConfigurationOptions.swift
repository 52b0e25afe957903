import ArgumentParser
import Patchbay
import PatchbayTerminal

/// The options that select a configuration, for every command that opens a source or storage.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use this configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp("Use this storage (see \"patchbay plugins list\").", valueName: "name"),
        completion: .list(CommandLineTool.plugins.storages.plugins.map(\.name)))
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "Use this source: one from the configuration, or a plugin (see \"patchbay plugins list\").",
            valueName: "name"),
        completion: .list(CommandLineTool.sourceNames))
    var source: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Set a configuration key; may be repeated.", valueName: "key=value"),
        completion: .list(CommandLineTool.plugins.keys.map { $0 + "=" }))
    var assignments: [String] = []

    @OptionGroup var terminal: TerminalOptions

    func validate() throws {
        for assignment in assignments where GatewayConfiguration.Flag(assignment: assignment) == nil {
            throw ValidationError("--set \"\(assignment)\" is not key=value")
        }
    }

    /// Reads the configuration with all its sources; call it once per command.
    func load() throws -> GatewayConfiguration { try recorded(checked()) }

    /// Reads the configuration with only the source of a resource; call it once per command.
    func load(_ resource: DeclaredResource) throws -> GatewayConfiguration {
        try recorded(checked().choosing(resource))
    }

    private func checked() throws -> GatewayConfiguration {
        let (configuration, faults) = try read()
        if let fault = faults.first { throw fault }
        configuration.noteUnusedPath()
        return configuration
    }

    /// Reads the configuration and returns it with all its faults.
    func loadWithFaults() throws -> (configuration: GatewayConfiguration, faults: [PatchbayError]) {
        let (configuration, faults) = try read()
        let all = faults + configuration.pathFaults
        return (all.isEmpty ? try recorded(configuration) : configuration, all)
    }

    private func read() throws -> (configuration: GatewayConfiguration, faults: [PatchbayError]) {
        GatewayConfiguration.reading(
            try CommandLineTool.found(named: config), plugins: CommandLineTool.plugins, flags: flags)
    }

    /// Explains an error of the bundled recording if it was read because no source is chosen.
    func explained(_ error: PatchbayError) -> PatchbayError {
        // The command has read the same configuration.
        guard error.isNotRecorded, let entries = try? read().configuration.configuration.entries,
            entries.contains(where: { $0.key == "source.path" && $0.value.origin == .defaultValue })
        else { return error }
        return error.adding(
            "; no source is chosen, so the bundled recording was read; choose one with --source, "
                + "see \"patchbay plugins list\"")
    }

    /// Adds the settings of `patchbay record`.
    private func recorded(_ configuration: GatewayConfiguration) throws -> GatewayConfiguration {
        guard !RecordCommand.flags.isEmpty else { return configuration }
        try RecordCommand.check(configuration)
        return try configuration.adding(RecordCommand.flags)
    }

    var flags: [GatewayConfiguration.Flag] {
        var flags = assignments.compactMap { GatewayConfiguration.Flag(assignment: $0) }
        if let storage { flags.append(.init("storage", storage, name: "--storage")) }
        if let source { flags.append(.init("source", source, name: "--source")) }
        return flags
    }
}

extension GatewayConfiguration.Flag {
    /// Reads the `key=value` of `--set`; returns nil if there is no key.
    init?(assignment: String) {
        guard let equals = assignment.firstIndex(of: "="), equals > assignment.startIndex else { return nil }
        let key = assignment[..<equals], value = assignment[assignment.index(after: equals)...]
        // Spaces belong to the value, except those after an equals sign that is written between spaces.
        let isSpaced = key.last == " "
        self.init(key.trimmed, String(isSpaced ? value.drop { $0 == " " } : value), name: "--set")
    }
}

extension GatewayConfiguration {
    /// Prints a note when the path in the configuration is for a storage other than the chosen one, which therefore
    /// uses its default path.
    fileprivate func noteUnusedPath() {
        let key = "storage.path"
        guard let unused = configuration.setAside.last(where: { $0.key == key })?.value,
            let used = configuration.entries.first(where: { $0.key == key }),
            used.value.origin == .defaultValue,
            // A path that cannot be expanded is reported when it is used.
            let path = try? path(used)
        else { return }
        Message.note(
            "note: \(key) = \"\(unused.text)\" (\(unused.origin)) is for another storage and is not used; "
                + "\(configuration.plugin("storage")) uses \"\(path)\", unless \(key) is set along with it")
    }
}

/// The options that decide whether and when the source is queried.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: ArgumentHelp("Whether and when to query the source.", valueName: "policy"),
        choices: Policy.self, default: CommandLineTool.plugins.words(for: "reading.policy"))
    var named: Policy?

    @Flag(help: "Show stored data only; the source is not opened. Short for --policy local-only.")
    var offline = false

    @Flag(help: "Fetch everything again, even if it has not changed. Short for --policy refresh.")
    var refresh = false

    func validate() throws {
        let given = [
            named.map { "--policy \($0.rawValue)" }, offline ? "--offline" : nil, refresh ? "--refresh" : nil,
        ]
        .compactMap { $0 }
        if given.count > 1 {
            throw ValidationError(given.joined(separator: " and ") + " cannot be used together")
        }
    }

    /// Returns the policy from the options, else from the configuration.
    func policy(in configuration: GatewayConfiguration) throws -> Policy {
        try named ?? (offline ? .localOnly : refresh ? .refresh : configuration.policy())
    }
}
