import Testing

@testable import PatchbayCLI

@Suite("Words that another definition may define")
struct OpenWordTests {
    private func leavesOpen(_ line: String) -> Bool {
        DeclaredSample.known {
            WordOrder(CommandLineTool.declared).leavesOpen(line.split(separator: " ").map(String.init))
        }
    }

    @Test(
        "a known resource or another command is not looked up in other definitions",
        arguments: [
            "", "--version", "--help", "users list", "user show octocat", "list users", "sync public-repos",
            "ls",
            "search users conversations", "help repos", "help", "storage info", "config show",
            "compare --rows 5",
        ])
    func known(_ line: String) { #expect(!leavesOpen(line)) }

    @Test(
        "an unknown word is looked up, and so are all resources for the manual",
        arguments: [
            "conversations list", "list conversations", "sync conversations", "help members", "shwo users",
        ])
    func unknown(_ line: String) { #expect(leavesOpen(line)) }
}
