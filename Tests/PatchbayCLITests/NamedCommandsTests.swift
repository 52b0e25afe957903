import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import Synchronization
import Testing

@testable import PatchbayCLI

@Suite("What a start reads and creates")
struct NamedCommandsTests {
    private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    /// Returns the names of a command and all of its subcommands.
    private func names(_ command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.subcommands.flatMap(names)
    }

    @Test(
        "while a line is parsed, only the commands that it names exist",
        arguments: [
            ("", "patchbay"), ("--version", "patchbay"), ("lsit users", "patchbay users"),
            ("users list --limit 3", "patchbay users list"), ("repos ls ada", "patchbay repos list"),
            ("sync org-repos x", "patchbay sync org-repos"), ("limits --offline", "patchbay limits"),
            ("search repos tom", "patchbay repos search repos"),
        ])
    func only(_ line: String, _ named: String) {
        let found = DeclaredSample.known {
            NamedCommands.only(words(line)) { names(PatchbayCommand.self) }
        }
        #expect(found == words(named))
    }

    /// Parses a line and returns the type of the command, the help or the message.
    private func outcome(_ line: [String], _ parse: () throws -> any ParsableCommand) -> String {
        do {
            var parsed = try parse()
            let name = String(describing: type(of: parsed))
            if name == "HelpCommand" { try parsed.run() }
            return name
        } catch {
            return PatchbayCommand.fullMessage(for: error)
        }
    }

    private func lines(_ command: any ParsableCommand.Type, _ path: [String] = []) -> [[String]] {
        [path]
            + command.configuration.subcommands.flatMap { lines($0, path + [$0._commandName]) }
    }

    @Test("every command has the same help and messages as in the whole tree")
    func same() {
        // Each with one ending only, because a debug build of the parser checks all arguments several times.
        let endings = [[], ["--help"], ["-x"]]
        DeclaredSample.known {
            let commands = lines(PatchbayCommand.self).enumerated().map { $1 + endings[$0 % endings.count] }
            for line in commands + endings.flatMap({ [["help"] + $0, ["lsit"] + $0] }) {
                let whole = outcome(line) { try PatchbayCommand.parseAsRoot(line) }
                let named = outcome(line) {
                    try NamedCommands.only(line) { try PatchbayCommand.parseAsRoot(line) }
                }
                #expect(named == whole, "\(line)")
            }
        }
    }

    @Test(
        "a start reads the definition of the source, and the others only for an unknown word",
        arguments: [
            ("--version", ["one"]), ("ones list", ["one"]), ("storage info", ["one"]),
            ("twos list", ["one", "two"]),
        ])
    func definitions(_ line: String, _ expected: [String]) async {
        let reads = Reads()
        let definitions = ["one", "two"].map { name in
            BundledDefinition(
                name, reads.text(name, "\(name)s.path = /\n\(name)s.key = id\n\(name)s.field.id = integer"))
        }
        let sources = definitions.map { bundled in
            Plugin.asking(
                SourceAPI(name: bundled.name, definition: { bundled.definition }) { _, _, _ in
                    Source(name: bundled.name)
                })
        }
        let plugins = PluginSet(storages: [.memory], sources: sources, definitions: definitions)
        let flags = ["--set", "source.base-url=https://localhost"]
        _ = await CommandLineTool.$plugins.withValue(plugins) {
            await ArgumentResources(words(line) + flags)
        }
        #expect(reads.names.withLock { $0 } == expected)
    }
}

/// Notes which definitions are read.
private final class Reads: Sendable {
    let names = Mutex<[String]>([])

    func text(_ name: String, _ resource: String) -> [UInt8] {
        names.withLock { $0.append(name) }
        return Array("api = \(name)\n\(resource)\n".utf8)
    }
}
