import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayServer
import PatchbayTerminal

extension GatewayConfiguration {
    /// The sources as messages name them: `source github`, `sources github, work`.
    var sourceWords: String {
        (sources.count == 1 ? "source " : "sources ") + sources.map(\.name).joined(separator: ", ")
    }
}

/// `patchbay config`: shows and checks the effective configuration, and records consent.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the effective configuration, check it, or consent to a file.",
        subcommands: [Show.self, Check.self, Trust.self, Distrust.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show every effective value and where it was set.",
            discussion: """
                For a secret, the place that it is read from is shown, never the secret itself. Addresses are shown \
                without their password and secret parameters.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .format, help: "The output format.")
        var format = OutputFormat.table

        func run() throws {
            let (loaded, faults) = try options.loadWithFaults()
            if let fault = faults.first { throw fault }
            let records = try loaded.configuration.entries.map { entry in
                let value =
                    entry.type.isPath(entry.value.text)
                    ? try loaded.path(entry) : Message.withoutSecrets(entry.value.shownText)
                let origin = entry.value.origin.description
                return OutputRecord([
                    ("key", .text(entry.key)), ("value", .text(value)), ("set in", .text(origin)),
                ])
            }
            let columns = [
                TableColumn("key"), TableColumn("value", wraps: true), TableColumn("set in", wraps: true),
            ]
            try RecordWriter(format).write(records, columns: columns)
            for (key, value) in loaded.configuration.setAside {
                Message.write(
                    "\(key) = \"\(shown(value, of: key))\" (\(value.origin)) is not used, "
                        + "because it belongs to another plugin")
            }
        }

        /// Returns the text to show for a value that no plugin uses. Its type is unknown, so the key decides whether it
        /// is a secret.
        private func shown(_ value: ConfigurationValue, of key: String) -> String {
            let isPlace = ["env:", "file:", "command:"].contains { value.text.hasPrefix($0) }
            if SecretNames.mayBeSecret(parameter: key), !isPlace { return "..." }
            return Message.withoutSecrets(value.shownText)
        }
    }

    struct Check: ConfiguredCommand {
        static let reportsSources = true

        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check the configuration and the definitions it names, and report all faults.",
            discussion: "A secret that its variable or file lacks is a warning. No program is run for one.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            var (loaded, faults) = try options.loadWithFaults()
            // The definitions have been read, because they determine which commands exist.
            if faults.isEmpty {
                faults = CommandLineTool.unread
            } else if faults.allSatisfy({ $0.code == .invalidConfiguration }) {
                // A file without consent must not choose files to read.
                faults += loaded.definitionFaults()
            }
            if faults.isEmpty { faults = try await loaded.servingFaults() }
            for fault in faults { Message.write("patchbay: " + fault.oneLine) }
            guard faults.isEmpty else {
                let codes = Set(faults.map(\.code))
                throw codes.count == 1 ? ExitStatus(faults[0].code) : .invalidConfiguration
            }
            // Stored rows are read without a secret.
            for fault in loaded.secretFaults { Message.write("warning: " + fault.oneLine) }
            let chosen = loaded.configuration
            let file = loaded.file ?? "no file, defaults"
            let plugins = "\(loaded.sourceWords), storage \(chosen.plugin("storage"))"
            try StandardStream.output.write("ok: \(TerminalText.harmless(file)) (\(plugins))\n")
        }
    }
}

extension GatewayConfiguration {
    /// What `serve` would refuse in its options, except for secrets, which are not read.
    fileprivate func servingFaults() async throws -> [PatchbayError] {
        let settings = try checkedServingSettings()
        var resources = try CommandLineTool.declared.chosen.map {
            (name: $0.noun, resource: try Resource($0.declaration, api: $0.word))
        }
        // A recording may have the resources of another API than the first one.
        for other in try await declaredSources().flatMap({ $0.resources.dropFirst() }) {
            resources += try other.resources.map {
                (name: $0.name, resource: try Resource($0, api: other.word))
            }
        }
        return ServerOptions.faults(settings, among: resources)
    }
}

/// The configuration file to trust or distrust.
struct FoundFileArgument: ParsableArguments {
    @Argument(help: "The configuration file, named patchbay.conf.", completion: .file())
    var file = "patchbay.conf"

    func found() throws -> FoundFile { try FoundFile(at: file, plugins: CommandLineTool.plugins) }
}

extension ConfigCommand {
    struct Trust: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trust", abstract: "Consent to a ./patchbay.conf that you have read.",
            discussion: """
                A file in the working directory may come from anyone. If it sets secrets, addresses, networking \
                options or paths outside its folder, it is refused until you consent to it. A changed file needs new \
                consent. Files named by --config or PATCHBAY_CONFIG need none.
                """)

        @OptionGroup var argument: FoundFileArgument

        func run() throws {
            let found = try argument.found()
            guard !found.entries.isEmpty else {
                return Message.write("nothing in \"\(found.place)\" needs consent")
            }
            try found.trust()
            for entry in found.entries {
                let value = ConfigurationValue(entry.value, .code).shownText
                Message.write("line \(entry.line): \(entry.key) = \(Message.withoutSecrets(value))")
            }
            Message.write("\"\(found.place)\" is trusted as it is now")
        }
    }

    struct Distrust: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "distrust", abstract: "Withdraw your consent to a ./patchbay.conf.")

        @OptionGroup var argument: FoundFileArgument

        func run() throws {
            let found = try argument.found()
            let was = try found.distrust()
            Message.write("\"\(found.place)\" " + (was ? "is no longer trusted" : "was not trusted"))
        }
    }
}
