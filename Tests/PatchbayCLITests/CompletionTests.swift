import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import PatchbayCLI

/// Completions in shells, with the scripts that `make install` installs.
@Suite("Completions", .mayBlock)
struct CompletionTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Returns the command's completions at the end of a line.
    private func offers(_ line: String) throws -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let found = try Command(in: folder.path).run(["complete", "--"] + words)
        #expect(found.status == 0, "\(found.errors)")
        return found.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    /// Writes the script of a shell to a file and returns its path.
    private func script(for shell: CompletionScript) throws -> String {
        let path = "\(folder.path)/patchbay.\(shell)"
        try shell.text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    @Test(
        "words of commands, resources, options, choices and keys are offered",
        arguments: [
            ("us", ["users"]), ("users li", ["list"]), ("list us", ["users"]), ("list f", []),
            ("show re", ["repos", "releases"]), ("clear c", ["commits"]), ("help stor", ["storage"]),
            ("users list --off", ["--offline"]), ("users list --offline --pol", ["--policy"]),
            ("users list --storage ", ["sqlite", "lmdb", "flatfile", "postgres", "memory"]),
            ("users list --storage=sq", ["--storage=sqlite"]), ("users list -f n", ["ndjson"]),
            ("users list --source syn", ["synthetic"]), ("plugins show lm", ["lmdb"]),
            ("users list --set storage.d", ["storage.durability="]),
            ("users list --source slack conv", []), ("conv", []), ("--source slack", []),
            ("definition check ", [":file"]), ("storage backup ", [":file"]),
            ("recording show ", [":file"]), ("users list --config ", [":file"]), ("completion f", ["fish"]),
            ("storage --h", ["--help"]), ("search recent rem", ["remove"]), ("xyzzy li", []),
        ])
    func words(_ line: String, _ expected: [String]) throws { #expect(try offers(line) == expected) }

    @Test("the resources of a definition in the folder are offered, but none of a broken definition")
    func ownDefinition() throws {
        let definition = """
            api = shop
            base-url = https://shop.example.org
            orders.path = /orders
            orders.key = id
            orders.field.id = integer
            """
        try definition.write(toFile: "\(folder.path)/shop.definition", atomically: false, encoding: .utf8)
        let configuration = "source = rest\nsource.definition = shop.definition\n"
        try configuration.write(toFile: "\(folder.path)/patchbay.conf", atomically: false, encoding: .utf8)
        #expect(try offers("ord") == ["orders"])
        #expect(try offers("orders li") == ["list"])
    }

    @Test(
        "each shell can read its script", .needs("zsh", "fish"), arguments: CompletionScript.allCases
    )
    func syntax(_ shell: CompletionScript) throws {
        #expect(try Shell.output(of: "\(shell) -n \(try script(for: shell)) 2>&1") == "")
    }

    @Test("bash completes words, the part of a word after an equals sign, and file names")
    func bash() throws {
        let folder = folder.path
        try "".write(toFile: "\(folder)/mine.conf", atomically: false, encoding: .utf8)
        let program = Command.executable.path
        let cases = [
            ("us", "users"), ("users list --storage=sq", "sqlite"),
            ("users list --config \(folder)/mi", "\(folder)/mine.conf"),
            ("users list --set storage.d", "storage.durability="),
        ]
        let lines = cases.map { "'\(program) \($0.0)'" }.joined(separator: " ")
        let commands = """
            source \(try script(for: .bash))
            compopt() { :; }
            for COMP_LINE in \(lines); do
                COMP_POINT=${#COMP_LINE}
                _patchbay
                echo ${COMPREPLY[*]}
            done
            """
        let path = "\(folder)/complete.bash"
        try commands.write(toFile: path, atomically: false, encoding: .utf8)
        let found = try Shell.output(of: "cd \(folder) && HOME=\(folder) bash \(path) 2>&1")
        #expect(found.split(separator: "\n").map(String.init) == cases.map(\.1))
    }

    @Test("fish shows the meaning of each completion", .needs("fish"))
    func fish() throws {
        let script = "source \(try script(for: .fish)); complete -C \"\(Command.executable.path) us\""
        let found = try Shell.output(of: "cd \(folder.path) && HOME=\(folder.path) fish -c '\(script)'")
        #expect(found.hasPrefix("users\t"))
    }

    @Test("zsh shows the meaning of each completion", .needs("zsh"))
    func zsh() throws {
        let program = Command.executable.path
        let commands = """
            compadd() { print -r -- $* : $names : $found }
            words=(\(program) us) CURRENT=2
            source \(try script(for: .zsh))
            """
        let path = "\(folder.path)/complete.zsh"
        try commands.write(toFile: path, atomically: false, encoding: .utf8)
        let found = try Shell.output(of: "cd \(folder.path) && HOME=\(folder.path) zsh \(path) 2>&1")
        #expect(found.hasPrefix("-l -d found -a names : users : users  -- "))
    }
}
