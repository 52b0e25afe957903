import Foundation
import TestSupport
import Testing

/// Docs/Features.md lists what Patchbay does; `FeatureProofs` names the tests of each feature.
@Suite("The list of features")
struct FeatureTests {
    /// One item of the page: `- **Title.** Text with names in code marks.`
    private struct Feature {
        let title: String
        let names: [String]

        init?(_ item: String) {
            guard let match = item.wholeMatch(of: /\*\*(.+?)\.\*\* (.+)/) else { return nil }
            title = String(match.1)
            names = match.2.matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    /// The items of the page, each as one line.
    private func items() throws -> [String] {
        let parts = try SourceTree.text("Docs/Features.md").components(separatedBy: "\n- ").dropFirst()
        return parts.map { part in
            let item = part.components(separatedBy: "\n\n")[0]
            return item.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    private func features() throws -> [Feature] { try items().compactMap(Feature.init) }

    @Test("every item of the page has a title and names what does it")
    func named() throws {
        for item in try items() {
            let feature = Feature(item)
            #expect(feature?.names.isEmpty == false, "\(item)")
        }
    }

    @Test("every feature has a proof, every proof a feature, and no title is used twice")
    func complete() throws {
        let titles = try features().map(\.title)
        #expect(Set(titles) == Set(FeatureProofs.tests.keys))
        #expect(Set(titles).count == titles.count)
    }

    @Test("every proof names tests that are in the tree")
    func tests() throws {
        let files = try SourceTree.swiftFiles("Tests", "Plugins").filter { $0.path.hasSuffix("Tests.swift") }
        // The name of a test is between the quotes of a line.
        let quoted = Set(files.flatMap(\.lines).flatMap { $0.split(separator: "\"") })
        for (title, tests) in FeatureProofs.tests {
            #expect(!tests.isEmpty, "\(title)")
            // A failed expectation would list every line.
            for test in tests where !quoted.contains(test[...]) { Issue.record("\(title): \(test)") }
        }
    }

    @Test("every command, option, file and type that a feature names exists")
    func names() throws {
        let present = try Present()
        for feature in try features() {
            for name in feature.names { #expect(present.contains(name), "\(feature.title): \(name)") }
        }
    }
}

/// What a feature can name.
private struct Present {
    private let makefile: String
    /// The parts of the command reference, each about one command.
    private let helps: [Substring]
    /// The names of all types.
    private let types: Set<Substring>

    init() throws {
        makefile = try SourceTree.text("Makefile")
        helps = commandReference.split(separator: "\n## ")
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
            // Options of many commands are explained at the end.
            let common = helps[helps.count - 1]
            return helps.filter { $0.prefix { $0 != "\n" }.contains("`\(command)`") }
                .contains { help in options.allSatisfy { help.contains($0) || common.contains($0) } }
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
