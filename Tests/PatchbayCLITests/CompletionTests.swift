import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// The completions that `make install` puts in place, in the shells themselves.
@Suite("Completions")
struct CompletionTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Writes the completions of a shell to a file, and tells its path.
    private func completions(for shell: String) throws -> String {
        let script = try Command(in: folder.path).run("--generate-completion-script", shell)
        #expect(script.status == 0)
        let path = "\(folder.path)/patchbay.\(shell)"
        try script.output.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    @Test(
        "each script is one that its shell reads", .needs("zsh", "fish"), arguments: ["bash", "zsh", "fish"])
    func syntax(_ shell: String) throws {
        #expect(try Shell.output(of: "\(shell) -n \(try completions(for: shell)) 2>&1") == "")
    }

    @Test("bash completes commands, options and what a configuration can choose")
    func bash() throws {
        let cases = [
            ("patchbay us", ["users"]), ("patchbay users li", ["list"]),
            ("patchbay users list --off", ["--offline"]),
            ("patchbay users list --storage ", ["sqlite", "lmdb", "flatfile", "postgres", "memory"]),
            ("patchbay users list --source syn", ["synthetic"]), ("patchbay plugins show lm", ["lmdb"]),
            ("patchbay users list --set storage.d", ["storage.durability="]),
        ]
        let script = """
            source \(try completions(for: "bash"))
            while IFS= read -r COMP_LINE; do
                read -ra COMP_WORDS <<<"$COMP_LINE"
                [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
                COMPREPLY=()
                _patchbay patchbay "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo ${COMPREPLY[*]}
            done
            """
        let path = "\(folder.path)/complete.bash"
        try script.write(toFile: path, atomically: false, encoding: .utf8)
        let lines = cases.map { "'\($0.0)'" }.joined(separator: " ")
        let found = try Shell.output(of: "printf '%s\\n' \(lines) | bash \(path) 2>&1")
        #expect(found.split(separator: "\n").map(String.init) == cases.map { $0.1.joined(separator: " ") })
    }

    @Test("fish completes as well", .needs("fish"))
    func fish() throws {
        let script = "source \(try completions(for: "fish")); complete -C \"patchbay us\""
        let found = try Shell.output(of: "HOME=\(folder.path) fish -c '\(script)'")
        #expect(found.hasPrefix("users\t"))
    }
}
