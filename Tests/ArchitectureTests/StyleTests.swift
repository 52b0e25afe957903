import Testing

/// Files that may exceed the limit, each with the reason.
private let longFiles: [String: String] = [:]

/// Files outside the command whose messages name a command or option, each with the reason.
private let namingFiles: [String: String] = [
    "Sources/Patchbay/FoundFile.swift": "only the command can give consent to a configuration file",
    "Sources/PatchbayTestKit/FolderState.swift": "the options belong to mount",
    "Plugins/StoragePostgreSQL/Sources/Connection+Opening.swift": "the option belongs to createdb",
]

@Suite("The shape of the code")
struct StyleTests {
    private let lineColumns = 120
    private let fileLines = 300

    @Test("no line exceeds 120 columns")
    func lineWidth() throws {
        for file in try SourceTree.swiftFiles("Sources", "Plugins", "Tests", "Benchmarks/Sources") {
            for (number, line) in file.lines.enumerated() where line.count > lineColumns {
                Issue.record(
                    "\(file.path):\(number + 1) has \(line.count) columns; the limit is \(lineColumns)")
            }
        }
    }

    @Test("no file exceeds 300 lines")
    func fileLength() throws {
        for file in try SourceTree.swiftFiles("Sources", "Plugins") where !file.path.contains("/Tests/") {
            let isLong = file.lines.count > fileLines
            #expect(!isLong || longFiles[file.path] != nil, "\(file.path) has \(file.lines.count) lines")
            if !isLong, longFiles[file.path] != nil {
                Issue.record("\(file.path) needs no exception any more")
            }
        }
    }

    @Test("package types with inlinable members can be used from inlined code, or nothing would be inlined")
    func inlinability() throws {
        let files = try SourceTree.swiftFiles("Sources", "Plugins").filter { !$0.path.contains("/Tests/") }
        let kinds: Set = ["struct", "class", "enum"]
        var closed: Set<String> = [], inlinable: Set<String> = []
        for file in files {
            var type = ""
            for (number, line) in file.lines.enumerated() {
                let words = line.split { " :<{".contains($0) }.map(String.init)
                if let kind = words.firstIndex(where: { kinds.contains($0) || $0 == "extension" }),
                    kind + 1 < words.count, !line.hasPrefix(" ")
                {
                    type = words[kind + 1]
                    let before = number > 0 ? file.lines[number - 1] : ""
                    let isOpen = (before + line).contains("@usableFromInline")
                    if kinds.contains(words[kind]), words.contains("package"), !isOpen { closed.insert(type) }
                }
                if line.hasPrefix("    @inlinable") { inlinable.insert(type) }
            }
        }
        #expect(closed.intersection(inlinable).isEmpty, "add @usableFromInline to these types")
    }

    @Test("no unfinished work is left, and every ignored error is explained")
    func leftovers() throws {
        let marks = ["TO" + "DO", "FIX" + "ME"]
        for file in try SourceTree.swiftFiles("Sources", "Plugins", "Tests", "Benchmarks/Sources") {
            for (number, line) in file.lines.enumerated() {
                #expect(!marks.contains { line.contains($0) }, "\(file.path):\(number + 1) is unfinished")
                guard !file.path.contains("Tests/"), line.contains("try? "), line.contains(#/\btry\? /#)
                else { continue }
                let isExplained =
                    number > 0 && file.lines[max(0, number - 6)...number].contains { $0.contains("//") }
                #expect(isExplained, "\(file.path):\(number + 1) ignores an error without explaining why")
            }
        }
    }

    @Test("a test that waits for a process does so on a thread that may block")
    func blocking() throws {
        let calls = ["command.run(", "shell.run(", "Shell.output(", "psql(", ".waitUntilExit()"]
        for file in try SourceTree.swiftFiles("Tests", "Plugins")
        where file.path.hasSuffix("Tests.swift") && file.module != "ArchitectureTests" {
            let text = file.lines.joined(separator: "\n")
            let call = calls.first { text.contains($0) }
            #expect(
                call == nil || text.contains(".mayBlock"),
                "\(file.path) calls \(call ?? ""), so its suite needs the trait .mayBlock")
        }
    }

    @Test("only the command names its commands and options in messages")
    func commandNames() throws {
        var unused = namingFiles
        for file in try SourceTree.swiftFiles("Sources", "Plugins")
        where !file.path.contains("/Tests/") && !["PatchbayCLI", "PatchbayTerminal"].contains(file.module) {
            for (number, line) in file.lines.enumerated()
            where (line.contains("patchbay ") || line.contains("--"))
                && line.contains(#/^(?!\s*//).*"[^"]*(?:patchbay |--)[a-z]/#)
            {
                unused[file.path] = nil
                if namingFiles[file.path] != nil { continue }
                Issue.record("\(file.path):\(number + 1) names a command or option; let the command do so")
            }
        }
        for path in unused.keys { Issue.record("\(path) needs no exception any more") }
    }

    @Test("every target has the shared settings, and with them strict memory safety")
    func sharedSettings() throws {
        let manifest = try SourceTree.text("Package.swift")
        #expect(manifest.contains("    .strictMemorySafety(),"))
        // Only the loop over all targets sets any.
        #expect(manifest.ranges(of: "swiftSettings").count == 1)
    }

    @Test("names do not use the dropped idioms either")
    func identifiers() throws {
        for file in try SourceTree.swiftFiles("Sources", "Plugins") where !file.path.contains("/Tests/") {
            for (number, line) in file.lines.enumerated() {
                for name in IdentifierIdioms.declared(in: line) {
                    guard let word = IdentifierIdioms.dropped(in: name) else { continue }
                    Issue.record("\(file.path):\(number + 1): the name \(name) has \"\(word)\"")
                }
            }
        }
    }

    @Test(
        "a dropped word is found in a name",
        arguments: [
            ("    let goesOn = true", "goes on"), ("func tell(_ text: String) {", "tell"),
            ("mutating func giveBack()", "give back"), ("    _ asked: Schema?,", "asked"),
            ("case behind(Position)", "behind"),
        ])
    func droppedNames(_ line: String, _ word: String) {
        #expect(IdentifierIdioms.declared(in: line).compactMap(IdentifierIdioms.dropped).first == word)
    }

    @Test(
        "other names are left alone",
        arguments: [
            "let isBehindProxy = false", "case understand, stand", "// tell: it", "let x = \"told: \"",
        ])
    func otherNames(_ line: String) {
        #expect(IdentifierIdioms.declared(in: line).compactMap(IdentifierIdioms.dropped).isEmpty)
    }

    @Test("the dropped idioms do not come back")
    func idioms() throws {
        let search = try IdiomSearch()
        var unused = IdiomException.all
        for path in try IdiomSearch.paths() {
            for hit in try search.hits(in: path) {
                let uses = IdiomException.all.filter { $0.path == hit.path && hit.text.contains($0.fragment) }
                unused.subtract(uses)
                if !uses.isEmpty { continue }
                Issue.record(
                    "\(hit.path):\(hit.line) has \"\(hit.phrase)\"; write instead: \(hit.instead)")
            }
        }
        for exception in unused {
            Issue.record("\(exception.path) needs no exception for \"\(exception.fragment)\" any more")
        }
    }
}
