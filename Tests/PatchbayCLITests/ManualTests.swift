import ArgumentParser
import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The manual pages", .mayBlock)
struct ManualTests {
    private let build = Build("7a12b62 2026-11-21")

    @Test("patchbay(1) has every command and option that the help has")
    func complete() {
        let (page, leaves) = DeclaredSample.known {
            (CommandManual(build: build).text, helps(of: PatchbayCommand.self, "patchbay"))
        }
        #expect(leaves.count > 20)
        for (command, help) in leaves {
            #expect(page.contains(".SS \"\(ManualText.escaped(command))"), "\(command)")
            for option in help.matches(of: /(?m)^  (?:-\w, )?(--[a-z-]+)/).map({ String($0.1) }) {
                #expect(page.contains(ManualText.escaped(option)), "\(option)")
            }
        }
    }

    @Test("Docs/Commands.md has every command and option that the help has")
    func reference() throws {
        let (page, leaves) = DeclaredSample.known {
            (CommandReference.markdown, helps(of: PatchbayCommand.self, "patchbay"))
        }
        let parts = page.split(separator: "\n## ")
        for (command, help) in leaves {
            let part = try #require(
                parts.first { $0.prefix { $0 != "\n" }.contains("`\(command)`") }, "\(command)")
            for option in help.matches(of: /(?m)^  (?:-\w, )?(--[a-z-]+)/).map({ String($0.1) })
            where !["--help", "--version"].contains(option) {
                #expect(
                    part.contains(option) || parts[parts.count - 1].contains(option), "\(command) \(option)")
            }
        }
    }

    /// The help of every shown command without subcommands.
    private func helps(
        of command: any ParsableCommand.Type, _ name: String
    ) -> [(command: String, help: String)] {
        guard command.configuration.shouldDisplay else { return [] }
        let subcommands = command.configuration.subcommands
        if subcommands.isEmpty {
            return [(name, PatchbayCommand.helpMessage(for: command, columns: 100))]
        }
        return subcommands.flatMap { helps(of: $0, "\(name) \($0.configuration.commandName ?? "")") }
    }

    @Test("every command states its name, because deriving it from the type slows each start")
    func names() {
        DeclaredSample.known {
            var pending: [any ParsableCommand.Type] = [PatchbayCommand.self]
            while let command = pending.popLast() {
                #expect(command.configuration.commandName != nil, "\(command)")
                pending += command.configuration.subcommands
            }
        }
    }

    @Test("the default, limits and values of an option are stated once")
    func defaults() {
        let entries = CommandHelp.all(columns: 100).flatMap(\.entries)
        for help in Set(entries) {
            #expect(help.ranges(of: "default: ").count <= 1, "\(help)")
            #expect(help.ranges(of: "values: ").count <= 1, "\(help)")
            #expect(!help.contains("jsonl or"), "\(help)")
        }
        #expect(entries.count > 100)
    }

    @Test("every example in the help is a command line that the parser takes")
    func examples() async throws {
        #expect(lines.count > 25)
        for line in lines {
            // Texts in quotes are one word; redirections belong to the shell.
            let words = line.prefix { !"|>".contains($0) }.split(separator: "\"").enumerated().flatMap {
                $0 % 2 == 0 ? $1.split(separator: " ") : ["x"]
            }
            let command = try await PatchbayCommand.asyncParseAsRoot(words.dropFirst().map(String.init))
            #expect(!(command is UnknownWordsCommand), "\(line)")
        }
    }

    @Test("every example in the help that needs no network runs in a shell, one after another")
    func running() throws {
        let folder = try TemporaryDirectory(), path = folder.path
        let files = [
            "name.txt": "Marlow", "answer.json": #"{"data":{"items":[{"id":1,"name":"a"}]}}"#,
            "recording.har": try String(
                contentsOfFile: Checkout.path("Recordings/sample.har"), encoding: .utf8),
        ]
        for (name, text) in files {
            try folder.write(text, to: name)
        }
        try FileManager.default.createSymbolicLink(
            at: URL(fileURLWithPath: path + "/patchbay"), withDestinationURL: Command.executable)
        let remote = ["--source github", "https://", "compare", "users.har", "man -l", "| source"]
        let local = lines.filter { line in !remote.contains { line.contains($0) } }
        #expect(local.count > 18)
        for line in local {
            let run = line.replacing("books.conf", with: "$$.conf")
            let found = try Shell.output(
                of: "cd \(path); export HOME=$PWD PATH=$PWD:$PATH; (\(run)) >out 2>&1 || cat out")
            #expect(found.isEmpty, "\(line)")
        }
    }

    /// The examples in the help of all commands.
    private var lines: [Substring] {
        CommandHelp.all(columns: 100).flatMap { $0.overview.split(separator: "\n") }
            .filter { $0.hasPrefix("  patchbay ") }
    }

    @Test("patchbay.conf(5) has every key and every value of a choice")
    func keys() {
        let page = ConfigurationManual(CommandLineTool.plugins, build: build).text
        for key in CommandLineTool.plugins.keys { #expect(page.contains(ManualText.bold(key)), "\(key)") }
    }

    @Test("a page contains no formatter requests but its own, whatever a text starts with")
    func orders() {
        var page = ManualText("page", section: 1, build: build)
        page.section("TEXT")
        page.paragraphs(".so /etc/passwd\n\n'br a \\fB\\*x -- \"quoted\"\n\n  .EX stays an example")
        let orders = page.text.split(separator: "\n").dropFirst(3).filter {
            $0.hasPrefix(".") || $0.hasPrefix("'")
        }
        #expect(orders == [".SH TEXT", ".PP", ".PP", ".EX", ".EE"])
        #expect(page.text.contains("\\&.so /etc/passwd"))
        #expect(page.text.contains("a \\efB\\e*x \\-\\- \\(dqquoted\\(dq"))
    }

    @Test("man and mandoc report no warnings", arguments: ["patchbay", "patchbay.conf"])
    func warnings(_ name: String) throws {
        let folder = try TemporaryDirectory()
        let text =
            name == "patchbay"
            ? CommandManual(build: build).text
            : ConfigurationManual(CommandLineTool.plugins, build: build).text
        let path = try folder.write(text, to: name)
        let checkers = ["groff -man -Tutf8 -ww -z \(path)", "mandoc -T lint -W warning \(path)"]
        for checker in checkers where try Shell.has(String(checker.prefix { $0 != " " })) {
            let found = try Shell.output(of: "\(checker) 2>&1")
            #expect(found.isEmpty, "\(checker)")
        }
    }

    @Test("the version names the commit that the command was built from")
    func version() {
        #expect(build.description == "patchbay 0.1.0 (7a12b62 2026-11-21)")
        #expect(Build("").description == "patchbay 0.1.0")
        #expect(Build("7a12b62-dirty").description == "patchbay 0.1.0 (7a12b62-dirty)")
        #expect(Build("7a12b62 2026-11-21 6.3.1").description == "patchbay 0.1.0 (7a12b62 2026-11-21)")
        #expect(Build("7a12b62 2026-11-21 6.3.1").toolchain == "6.3.1")
    }

    @Test("programs read the version as JSON, with the plugins")
    func versionJSON() throws {
        let folder = try TemporaryDirectory()
        let command = Command(in: folder.path)
        let described = try command.run("--version", "--format", "json").output
        #expect(described == (try command.run("version", "-f", "json").output))
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(described.utf8)) as? [String: Any])
        #expect(members["version"] as? String == "0.1.0")
        #expect((members["storage"] as? [String])?.contains("lmdb") == true)
        for name in ["commit", "date", "swift"] { #expect(members[name] != nil) }
        #expect(try command.run("--version").output.hasPrefix("patchbay 0.1.0"))
        try command.run("--version", "x").expectRefusal(2, "Unexpected argument 'x'")
    }
}
