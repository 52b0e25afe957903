import PatchbayGateway
import ArgumentParser
import Patchbay
import PatchbayCore

extension GatewayConfiguration {
    /// The sources as messages name them: `source github`, `sources github, work`.
    var sourceWords: String {
        (sources.count == 1 ? "source " : "sources ") + sources.map(\.name).joined(separator: ", ")
    }
}

/// `patchbay config`: what holds, and why.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the effective configuration, check it, or consent to a file.",
        subcommands: [Show.self, Check.self, Trust.self, Distrust.self])
}

extension ConfigCommand {
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show every value that holds and where it was set.",
            discussion: """
                A secret shows as the place it is read from, never as itself; an address without its password and \
                secret parameters.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .shortAndLong, help: "How to print.")
        var format = OutputFormat.table

        func run() throws {
            let loaded = try options.loadOrExplain().mapError(\.first).get()
            let records = try loaded.configuration.entries.map { entry in
                let value =
                    entry.type == .path
                    ? try loaded.path(entry) : Message.withoutSecrets(entry.value.shownText)
                let origin = entry.value.origin.description
                return OutputRecord([
                    ("key", .text(entry.key)), ("value", .text(value)), ("set in", .text(origin)),
                ])
            }
            let columns = [
                TableColumn("key"), TableColumn("value", wraps: true), TableColumn("set in", wraps: true),
            ]
            try RecordWriter(format).write(records, table: Table(columns, of: records))
            for (key, value) in loaded.configuration.setAside {
                Message.write(
                    "\(key) = \"\(shown(value, of: key))\" (\(value.origin)) is not used: "
                        + "it was written for another plugin")
            }
        }

        /// The type of a value that no plugin uses is not known, so its key tells whether it is a secret.
        private func shown(_ value: ConfigurationValue, of key: String) -> String {
            let isPlace = ["env:", "file:", "command:"].contains { value.text.hasPrefix($0) }
            if SecretNames.mayBeSecret(parameter: key), !isPlace { return "..." }
            return Message.withoutSecrets(value.shownText)
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check the configuration and tell all faults.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            switch try options.loadOrExplain() {
            case .success(let loaded):
                // Only what the sources are called can clash without their plugins.
                if loaded.sources.count > 1 { _ = try await loaded.declaredSources() }
                try praise(loaded)
            case .failure(let faults):
                for fault in faults.all { Message.write("patchbay: " + fault.line) }
                throw ExitStatus.invalidConfiguration
            }
        }

        private func praise(_ loaded: GatewayConfiguration) throws {
            let chosen = loaded.configuration
            let file = loaded.file ?? "no file, defaults"
            let plugins = "\(loaded.sourceWords), storage \(chosen.plugin("storage"))"
            try StandardStream.output.write("ok: \(TerminalText.harmless(file)) (\(plugins))\n")
        }
    }
}

/// The file that a consent is about.
struct FoundFileArgument: ParsableArguments {
    @Argument(help: "The configuration file, named patchbay.conf.", completion: .file())
    var file = "patchbay.conf"

    func found() throws -> FoundFile { try FoundFile(at: file, plugins: CommandLineTool.plugins) }
}

extension ConfigCommand {
    struct Trust: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Consent to a ./patchbay.conf that you have read.",
            discussion: """
                A file that is found in the working directory may come from anyone. It is refused while it sets \
                secrets, addresses, anything of networking, or paths outside its folder, until you consent to it. A \
                changed file needs a new consent. Files that --config or PATCHBAY_CONFIG name need none.
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
            abstract: "Withdraw the consent to a ./patchbay.conf.")

        @OptionGroup var argument: FoundFileArgument

        func run() throws {
            let found = try argument.found()
            let was = try found.distrust()
            Message.write("\"\(found.place)\" " + (was ? "is no longer trusted" : "was not trusted"))
        }
    }
}
