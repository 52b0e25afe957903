import PatchbayCore
import PatchbayGateway
import PatchbayTestKit
import TestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

/// Runs `patchbay search` as users do, over recorded answers.
@Suite("The search commands", .mayBlock, .timeLimit(.minutes(5)))
struct SearchCommandTests {
    private static let storages = StoragePlaces.usual

    private let command: Command

    init() throws {
        command = try Command()
        let tom = #"{"login": "tom", "id": 1}, {"login": "Atom", "id": 2}"#
        let answers = [
            ("users?q=tom", 200, #"{"total_count": 40, "incomplete_results": true, "items": [\#(tom)]}"#),
            ("users?q=nobody", 200, #"{"total_count": 0, "incomplete_results": false, "items": []}"#),
            ("repositories?q=user%3Agone", 422, #"{"message": "Validation Failed"}"#),
        ]
        let entries = answers.map { query, status, body in
            TestHAR.entry(
                "https://api.github.com/search/\(query)&per_page=100", status: status, body: body)
        }
        try command.write(TestHAR.file(entries), to: "search.har")
        try command.write("source = recorded\nsource.path = search.har\n", to: "patchbay.conf")
    }

    private func run(_ storage: String, _ arguments: String...) throws -> Command.Outcome {
        try command.run(arguments + ["--storage", storage])
    }

    @Test(
        "found, denied and local results have their own messages, in each format",
        arguments: storages)
    func users(_ storage: String) throws {
        let found = try run(storage, "search", "users", " tom ", "--format", "jsonl")
        #expect(found.status == 0 && found.output.split(separator: "\n").count == 2, "\(found.errors)")
        #expect(found.errors.contains("40 in total, incomplete: the source ran out of time"))
        #expect(found.output.contains(#""found_by":"source"}"#))
        #expect(
            try run(storage, "search", "users", "nobody").errors.hasPrefix(
                "No records found\n0 users, recorded in "))
        let denied = try run(storage, "search", "users", "NOBODY", "--stats", "--format", "csv")
        #expect(
            denied.status == 0 && denied.output.hasPrefix("login,id,")
                && denied.output.hasSuffix(",found_by\n"))
        #expect(denied.errors.hasPrefix("No records found\n0 users, nothing found "))
        #expect(
            denied.errors.hasSuffix("; --refresh searches again\nrequests: none sent over the network\n"))
        let local = try run(storage, "search", "users", "AT", "--offline", "--format", "json")
        #expect(local.status == 0 && local.output.contains("\"found_by\": \"local\""))
        #expect(
            local.errors.hasPrefix(
                "Only stored users were searched; the source was not queried.\n1 user, stored "))
        #expect(local.errors.hasSuffix("local matches: login or name begins with the text\n"))
        let none = try run(storage, "search", "users", "zzz", "--offline")
        #expect(none.errors.contains("0 users, nothing found in the storage (offline)"), "\(none.errors)")
        let strict = try run(
            storage, "search", "users", "zzz", "--offline", "--strict", "--format", "json")
        #expect(strict.status == 19, "\(strict.errors)")
        #expect(
            strict.output.contains(#""complete": false"#)
                && strict.output.contains("the source was never asked for this text"), "\(strict.output)")
        let all = try run(storage, "search", "users", "tom", "--all")
        #expect(all.errors.contains("2 users, recorded in "), "\(all.errors)")
        #expect(!all.errors.contains("complete, incomplete"), "\(all.errors)")
        let beyond = try run(storage, "search", "users", "tom", "--page", "3", "--limit", "20")
        #expect(beyond.errors.hasPrefix("No records on this page\n0 users, "), "\(beyond.errors)")
        #expect(!beyond.errors.contains("--page"))
        let page = try run(
            storage, "search", "users", "tom", "--limit", "1", "--page", "2", "--offline", "--format", "csv")
        #expect(page.output.contains("Atom") && page.output.split(separator: "\n").count == 2)
    }

    @Test("with --all, a search without results is not reported as a search of stored rows")
    func noneOfAll() throws {
        let errors = try run("sqlite", "search", "users", "nobody", "--all").errors
        #expect(errors.contains(": complete\nNo records found\n0 users, recorded in "), "\(errors)")
    }

    @Test("recent and denied searches are listed, removed and cleared", arguments: storages)
    func lists(_ storage: String) throws {
        _ = try run(storage, "search", "users", "tom")
        for text in ["nobody", "\u{1B}[31mé", "TOM"] {
            _ = try run(storage, "search", "users", text, "--offline")
        }
        _ = try run(storage, "search", "users", "nobody")
        let recent = try run(storage, "searches", "--format", "csv").output.split(separator: "\n")
        #expect(recent.map { $0.prefix { $0 != "," } } == ["text", "nobody", "TOM", "\u{1B}[31mé"])
        #expect(try run(storage, "searches").output.contains("\\u{1B}[31mé"))
        #expect(try run(storage, "searches", "remove", " Tom").errors == "\" Tom\" is forgotten\n")
        #expect(try run(storage, "searches", "remove", "tom").status == 4)
        #expect(try run(storage, "searches", "clear").errors == "2 searches forgotten\n")
        #expect(try run(storage, "searches", "list", "--format", "json").output == "[]\n")
        let denied = try run(storage, "searches", "--denied", "--format", "jsonl")
        #expect(denied.output.hasPrefix(#"{"text":"nobody","subject":"users","source":""#))
        #expect(
            try run(storage, "searches", "remove", "Nobody", "--denied").errors
                == "\"Nobody\" can be sent again\n")
        #expect(try run(storage, "searches", "remove", "Nobody", "--denied").status == 4)
        #expect(try run(storage, "searches", "clear", "--denied").errors == "0 searches can be sent again\n")
    }

    @Test(
        "lines of standard input are search texts, and only those that persist are searched",
        arguments: storages)
    func interactive(_ storage: String) throws {
        var typing = command
        typing.input = "t\nto\nnobody\r\n\ntom"
        let outcome = try typing.run(
            "search", "users", "--interactive", "--debounce", "100", "--format", "jsonl", "--stats",
            "--storage",
            storage)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 2)
        #expect(outcome.errors.hasPrefix("\"tom\":\n2 users, recorded in "))
        typing.input = String(repeating: "x", count: 100_000) + "\n"
        let refused = try typing.run("search", "users", "--interactive", "--storage", storage)
        #expect(refused.status == 0 && refused.output.isEmpty)
        #expect(refused.errors.contains("at most 256 characters"))
    }

    @Test(
        "a wrong call and a refusal by the source print clear lines and have a documented status",
        arguments: [
            (["search", "users"], 2, "the text to search for is missing"),
            (["search", "users", " "], 10, "the search text is empty"),
            (
                ["search", "users", String(repeating: "é", count: 257)], 10,
                "at most 256 characters, this one has 257"
            ),
            (["search", "users", "x", "--limit", "0"], 2, "'0' is invalid for '--limit <count>'"),
            (["search", "users", "x", "--page", "501"], 2, "--page 501"),
            (["search", "users", "x", "--debounce", "1"], 2, "--debounce needs --interactive"),
            (["search", "users", "x", "--interactive"], 2, "reads the text from standard input"),
            (["search", "users", "x", "--set", "search.recent-max=-1"], 3, "search.recent-max"),
            (["search", "users", "x", "--set", "search=x"], 3, "unknown key \"search\""),
            (["searches", "remove", "x"], 4, "nothing is stored at"),
            (["search", "repos", "user:gone"], 10, "The search failed.\npatchbay: "),
        ])
    func wrongCalls(_ arguments: [String], _ status: Int32, _ words: String) throws {
        // The message about the search precedes the line of the failure.
        let lines = words.split(separator: "\n").count
        try command.run(arguments).expectRefusal(status, words, lines: lines)
    }

    @Test("a failed search has an error unless it shows rows that the source returned before")
    func failures() {
        let outcome = SearchOutcome.failed(PatchbayError(.invalidResponse, "it is not JSON"))
        for window in [
            nil, SearchWindow<Int>(items: [], origin: .source), SearchWindow(items: [1], origin: .local),
        ] {
            #expect(outcome.failure(showing: window)?.code == .invalidResponse)
        }
        #expect(outcome.failure(showing: SearchWindow(items: [1], origin: .source)) == nil)
    }

    @Test("keystrokes edit a line: letters of several bytes, corrections, ignored arrows")
    func keys() {
        var line = LineEdit()
        #expect(line.take(Array("töm".utf8)) == [.edited] && line.text == "töm")
        #expect(line.take([0x7F, 0x7F]) == [.edited] && line.text == "t")
        #expect(line.take(Array("\u{1B}[1;5C\u{1B}OP\u{1B}b".utf8)) == [] && line.text == "t")
        #expect(line.take(Array("om  한국 👩‍👩‍👧".utf8) + [0x08]) == [.edited] && line.text == "tom  한국 ")
        #expect(line.take([0x17]) == [.edited] && line.text == "tom  ")
        #expect(line.take([0x00, 0x1A, 0x0D, 0x04]) == [.submitted, .ended])
        #expect(line.take([0x15, 0x7F]) == [.edited] && line.text.isEmpty)
        #expect(line.take([0xE2]).isEmpty && line.take([0x82, 0xAC]) == [.edited] && line.text == "€")
        _ = line.take([UInt8](repeating: 0x78, count: 10_000))
        #expect(line.text.utf8.count == LineEdit.bytesMax)
    }
}
