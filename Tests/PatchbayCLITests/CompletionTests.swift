import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// The completions that `make install` puts in place, in the shells themselves.
@Suite("Completions")
struct CompletionTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        let command = Command(in: folder.path)
        for shell in ["bash", "zsh", "fish"] {
            let script = try command.run("--generate-completion-script", shell)
            #expect(script.status == 0)
            try script.output.write(
                toFile: "\(folder.path)/patchbay.\(shell)", atomically: false, encoding: .utf8)
        }
    }

    @Test("each script is one that its shell reads", arguments: ["bash", "zsh", "fish"])
    func syntax(_ shell: String) throws {
        guard try Shell.has(shell) else { return print("skipped: there is no \(shell)") }
        #expect(try Shell.output(of: "\(shell) -n \(folder.path)/patchbay.\(shell) 2>&1") == "")
    }

    @Test(
        "bash completes commands, options and what a configuration can choose",
        arguments: [
            ("patchbay us", ["users"]), ("patchbay users li", ["list"]),
            ("patchbay users list --off", ["--offline"]),
            ("patchbay users list --storage ", ["sqlite", "lmdb", "flatfile", "memory"]),
            ("patchbay users list --source syn", ["synthetic"]), ("patchbay plugins show lm", ["lmdb"]),
            ("patchbay users list --set storage.d", ["storage.durability="]),
        ])
    func completed(_ line: String, _ expected: [String]) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        let script = """
            source \(folder.path)/patchbay.bash
            COMP_WORDS=(\(words.joined(separator: " ")))
            COMP_CWORD=\(words.count - 1)
            COMP_LINE='\(line)'
            COMP_POINT=\(line.utf8.count)
            _patchbay patchbay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let path = "\(folder.path)/complete.bash"
        try script.write(toFile: path, atomically: false, encoding: .utf8)
        let found = try Shell.output(of: "bash \(path) 2>&1").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        #expect(found.sorted() == expected.sorted())
    }

    @Test("fish completes as well")
    func fish() throws {
        guard try Shell.has("fish") else { return print("skipped: there is no fish") }
        let found = try Shell.output(
            of:
                "HOME=\(folder.path) fish -c 'source \(folder.path)/patchbay.fish; complete -C \"patchbay us\"'"
        )
        #expect(found.hasPrefix("users\t"))
    }
}
