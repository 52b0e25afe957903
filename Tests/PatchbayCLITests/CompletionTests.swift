import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

/// Completions in shells, with the scripts that `make install` installs.
@Suite("Completions", .mayBlock)
struct CompletionTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func run(_ words: [String]) throws -> Command.Outcome {
        try Command(in: folder.path).run(words)
    }

    /// Returns what a script of the parser gets for an argument of a command at the end of a line.
    private func offers(_ argument: String, of command: String, _ line: String) throws -> [String] {
        let words =
            ["patchbay"] + line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let found = try run(
            [
                "---completion", command, "--", argument, "\(words.count - 1)",
                "\(words[words.count - 1].utf8.count)",
            ]
                + words)
        #expect(found.status == 0, "\(found.errors)")
        return found.output.split(separator: "\n").map(String.init)
    }

    /// Writes the script of a shell to a file and returns its path.
    private func script(for shell: String) throws -> String {
        try folder.write(run(["completion", shell]).output, to: "patchbay.\(shell)")
    }

    @Test("resources, views, fields and stored handles are offered")
    func words() throws {
        #expect(try offers("positional@0", of: "list", "list ").starts(with: ["users", "repos"]))
        #expect(try offers("--by", of: "list", "list repos apple --by ") == ["org", "public"])
        #expect(try offers("positional@2", of: "edit", "edit users x ") == ["name="])
        #expect(try offers("--with", of: "show", "show repos a/b --with ").contains("commits"))
        #expect(try offers("positional@1", of: "show", "show users Mar") == [])
        #expect(try run(["list", "users", "-n", "100", "-q"]).status == 0)
        #expect(try offers("positional@1", of: "show", "show users Marl") == ["Marlow-Quern"])
    }

    @Test("a handle is found among all stored rows, not only among the first")
    func laterHandles() throws {
        let options = ["--source", "synthetic"]
        let listed = try run(
            ["list", "users", "-n", "1000", "--format", "csv", "--fields", "login"] + options)
        let last = try #require(listed.output.split(separator: "\n").last.map(String.init))
        let found = try offers(
            "positional@1", of: "show", "show users \(options.joined(separator: " ")) \(last.dropLast())")
        #expect(found.contains(last) && found.count < 200, "\(last): \(found)")
    }

    @Test("the resources of a definition in the folder are offered, also one with the name of a verb")
    func ownDefinition() throws {
        let definition = """
            api = shop
            base-url = https://shop.example.org
            list.path = /orders
            list.path.open = /orders/open
            list.key = id
            list.field.id = integer
            """
        try folder.write(definition, to: "shop.definition")
        try folder.write("source = rest\nsource.definition = shop.definition\n", to: "patchbay.conf")
        #expect(try offers("positional@0", of: "list", "list ") == ["list"])
        #expect(try offers("--by", of: "list", "list list --by ") == ["open"])
    }

    @Test("each shell can read its script", .needs("zsh", "fish"), arguments: ["bash", "zsh", "fish"])
    func syntax(_ shell: String) throws {
        #expect(try Shell.output(of: "\(shell) -n \(try script(for: shell)) 2>&1") == "")
    }

    @Test(
        "each shell completes resources, views, fields and handles on a terminal",
        .needs("zsh", "fish", "script"),
        arguments: [
            ("bash --norc -i", "source %"),
            ("zsh -f -i", "autoload -U compinit; compinit -u -D; source %; compdef _patchbay patchbay"),
            ("fish --no-config -i", "source %"),
        ])
    func driven(_ shell: String, _ preparation: String) throws {
        let name = String(shell.prefix { $0 != " " })
        try FileManager.default.createSymbolicLink(
            at: URL(fileURLWithPath: folder.path + "/patchbay"), withDestinationURL: Command.executable)
        // A tab completes the word before it, and the shell runs the completed line.
        let lines = [
            preparation.replacing("%", with: try script(for: name)),
            "patchbay list use\t --json id -n 2 > list",
            "patchbay revert users Marlow\t na\t 2> revert",
            "patchbay list repos x --by o\t 2> view",
            "patchbay edit users Marlow\t na\tMine --offline 2> edit", "exit", "",
        ]
        try folder.write(lines.joined(separator: "\n"), to: "typed")
        let found = try Shell.output(
            of: """
                cd \(folder.path) && HOME=$PWD PATH=$PWD:$PATH TERM=dumb script -qec '\(shell)' /dev/null < typed
                """)
        let texts = try ["list", "revert", "view"].map {
            try String(contentsOfFile: "\(folder.path)/\($0)", encoding: .utf8)
        }
        #expect(texts[0].contains("\"id\": 900000017"), "\(found)")
        #expect(texts[1].contains("nothing changed; Marlow-Quern is shown as"), "\(found)")
        #expect(texts[2].contains("/orgs/x/repos"), "\(found)")
        let edit = try String(contentsOfFile: "\(folder.path)/edit", encoding: .utf8)
        #expect(edit.contains("is shown as \"Mine\""), "\(found)")
    }
}
