import Foundation
import PatchbayCLI
import PatchbayPlugins
import TestSupport
import Testing

/// Docs/Features.md: every feature that was asked for, with what does it and what pins it.
@Suite("The list of features")
struct FeatureTests {
    /// One row of a table: `| id | what | with | pinned by |`.
    private struct Row {
        let id: String
        let with: String
        let tests: [String]

        /// Later, or nothing, with the reason behind a colon.
        var isOpen: Bool { with.contains(/^(later|nothing): ./) }
        var names: [String] { with.matches(of: /`([^`]+)`/).map { String($0.1) } }

        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, cells[1].contains(/^(\d{3}|new)\.\d/) else { return nil }
            (id, with) = (cells[1], cells[3])
            tests = cells[4].matches(of: /"([^"]+)"/).map { String($0.1) }
        }
    }

    private static let ids: [String] =
        numbers("000", 28) + numbers("001", 18) + numbers("002", 20) + numbers("003", 15) + numbers("004", 15)
        + ["a", "b", "c", "d", "e", "f"].map { "004.16" + $0 } + ["a", "b", "c"].map { "004.17" + $0 }
        + numbers("new", 10)

    private static func numbers(_ app: String, _ count: Int) -> [String] {
        (1...count).map { "\(app).\($0)" }
    }

    private func rows() throws -> [Row] {
        try SourceTree.text("Docs/Features.md").split(separator: "\n").compactMap(Row.init)
    }

    @Test("no feature is missing, and none stands there twice")
    func complete() throws {
        let found = try rows().map(\.id)
        #expect(Set(Self.ids).subtracting(found).isEmpty)
        #expect(Set(found).count == found.count)
    }

    @Test("every row names what does it and what pins it, or says why it is open")
    func told() throws {
        for row in try rows() {
            let isTold = !row.names.isEmpty && !row.tests.isEmpty
            #expect(isTold != row.isOpen, "\(row.id)")
        }
    }

    @Test("every test that a row names is in the tree")
    func tests() throws {
        let files = try SourceTree.swiftFiles("Tests", "Plugins").filter { $0.path.hasSuffix("Tests.swift") }
        // What stands between the quotes of a line, which is where a test has its name.
        let quoted = Set(files.flatMap(\.lines).flatMap { $0.split(separator: "\"") })
        for row in try rows() {
            for test in row.tests { #expect(quoted.contains(test[...]), "\(row.id): \(test)") }
        }
    }

    @Test("every command, option, file and type that a row names is there")
    func names() throws {
        let present = try Present()
        for row in try rows() {
            for name in row.names { #expect(present.contains(name), "\(row.id): \(name)") }
        }
    }
}

/// What a row can name.
private struct Present {
    private let makefile: String
    /// The parts of the command reference, each about one command.
    private let helps: [Substring]
    /// The names of all types.
    private let types: Set<Substring>

    init() throws {
        makefile = try SourceTree.text("Makefile")
        helps = CommandReference.markdown(.builtIn).split(separator: "\n## ")
        let kinds: Set<Substring> = ["struct", "class", "actor", "enum", "protocol"]
        let files = try SourceTree.swiftFiles("Sources", "Plugins").filter { !$0.path.contains("/Tests/") }
        types = Set(
            files.flatMap(\.lines).compactMap { line in
                let words = line.split(whereSeparator: { " :<{".contains($0) })
                guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else {
                    return nil
                }
                return words[kind + 1]
            })
    }

    func contains(_ name: String) -> Bool {
        let words = name.split(separator: " ").map(String.init)
        switch words[0] {
        case "patchbay":
            let options = words.filter { $0.hasPrefix("--") }
            let command = words.prefix { !$0.hasPrefix("--") }.joined(separator: " ")
            return helps.filter { $0.hasPrefix("`\(command)`\n") }
                .contains { help in options.allSatisfy { help.contains($0) } }
        case "make": return makefile.contains("\n\(words[1]): ")
        default: return isFile(name) || isFolder(name) || types.contains(name[...])
        }
    }

    private func isFile(_ path: String) -> Bool {
        path.contains(".") && FileManager.default.fileExists(atPath: Checkout.path(path))
    }

    /// A module.
    private func isFolder(_ name: String) -> Bool {
        ["Sources", "Plugins"].contains {
            FileManager.default.fileExists(atPath: Checkout.path("\($0)/\(name)"))
        }
    }
}
