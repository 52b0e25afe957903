import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@Suite("patchbay recording", .mayBlock)
struct RecordingCommandTests {
    private let command: Command
    private let sample = Checkout.path("Recordings/sample.har")

    init() throws { command = try Command() }

    private func write(_ name: String, _ entries: String...) throws {
        try command.write(TestHAR.file(entries), to: name)
    }

    private func entry(_ url: String, status: Int = 200, link: String = "") -> String {
        TestHAR.entry(
            url, status: status, headers: link.isEmpty ? [] : [("Link", "<\(link)>; rel=\"next\"")])
    }

    @Test("show prints endpoints, and a summary line on standard error")
    func show() throws {
        let table = try command.run("recording", "show", sample)
        #expect(table.status == 0)
        #expect(table.output.split(separator: "\n").first?.hasPrefix("METHOD") == true)
        #expect(table.output.contains("/users"))
        #expect(table.errors.contains("with api.github.example.org, avatars.github.example.org; recorded "))
        let csv = try command.run("recording", "show", sample, "--format", "csv")
        #expect(csv.output.hasPrefix("method,host,path,exchanges,pages,gaps,statuses,first,last\n"))
    }

    /// In the folder the files have no gaps, because `whole.har` contains the next page.
    @Test("the status of check reports the worst fault: a secret, damage or a gap")
    func check() throws {
        try write("whole.har", entry("https://x.org/a", link: "https://x.org/b"), entry("https://x.org/b"))
        try write("gap.har", entry("https://x.org/a", link: "https://x.org/b"))
        try write("secret.har", entry("https://x.org/a?access_token=s3cr3t", link: "https://x.org/b"))
        try command.write("[]", to: "no.har")
        for (name, status, words) in [
            ("whole.har", 0, "no faults in 2 exchanges in 1 file\n"), ("gap.har", 4, "1 gap in 1 exchange"),
            ("secret.har", 10, "1 secret, 1 gap in"), ("no.har", 5, "1 damaged place in 0 exchanges"),
            (".", 10, "1 secret, 1 damaged place in 4 exchanges in 4 files"),
            ("none.har", 3, "none.har"),
        ] {
            let outcome = try command.run("recording", "check", name)
            #expect(outcome.status == status, "\(name): \(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(name): \(outcome.errors)")
            #expect(!outcome.output.contains("s3cr3t") && !outcome.errors.contains("s3cr3t"))
        }
        let json = try command.run("recording", "check", "whole.har", "--format", "json")
        #expect(json.output == "[]\n")
    }

    @Test("diff lists the differences, and its status reports whether there are any")
    func diff() throws {
        try write("a.har", entry("https://x.org/a"), entry("https://x.org/b"))
        try write("b.har", entry("https://x.org/a", status: 404), entry("https://x.org/c"))
        let outcome = try command.run("recording", "diff", "a.har", "b.har", "--format", "csv")
        #expect(outcome.status == 9)
        #expect(
            outcome.output == """
                difference,request,detail
                answered differently,GET https://x.org/a,"status: 200, 404"
                only in the first,GET https://x.org/b,
                only in the second,GET https://x.org/c,

                """)
        #expect(outcome.errors == "3 differences\n")
        #expect(try command.run("recording", "diff", "a.har", "a.har").status == 0)
    }

    @Test("an invalid entry is a separate row, and all three commands report it")
    func unreadable() throws {
        try write(
            "a.har", entry("https://x.org/a"), "{\"request\": 1}", entry("https://x.org/b?token=s3cr3t"))
        try write("b.har", entry("https://x.org/a"))
        let check = try command.run("recording", "check", "a.har", "--format", "csv")
        #expect(check.status == 10)
        #expect(check.output.split(separator: "\n").count == 3)
        #expect(check.output.contains("a.har,2,damage,,"))
        #expect(check.errors == "1 secret, 1 damaged place in 3 exchanges in 1 file\n")
        let shown = try command.run("recording", "show", "a.har")
        #expect(shown.errors.hasSuffix("1 entry is not a HAR entry\n"))
        let diff = try command.run("recording", "diff", "a.har", "b.har", "--format", "csv")
        #expect(diff.status == 9)
        #expect(diff.output.contains("unreadable,entry 2 of a.har,"))
    }

    @Test("text from a recording cannot reach the terminal as control characters")
    func harmless() throws {
        try write("a.har", entry("https://x.org/a\u{1B}[31m?q=\u{1B}[2J", link: "https://x.org/b"))
        for verb in [["show", "a.har"], ["check", "a.har"], ["diff", "a.har", sample]] {
            let outcome = try command.run(["recording"] + verb)
            #expect(!(outcome.output + outcome.errors).utf8.contains(0x1B))
        }
    }
}
