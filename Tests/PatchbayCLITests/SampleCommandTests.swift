import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// The first commands of a newcomer: all are answered, and no answer claims to come from a network.
@Suite("The bundled recording", .mayBlock, .timeLimit(.minutes(20)))
struct SampleCommandTests {
    private let command: Command

    init() throws { command = try Command() }

    private func run(_ line: String) throws -> Command.Outcome {
        try command.run(line: line)
    }

    @Test(
        "answers the examples of the documentation",
        arguments: [
            ("list users", "Marlow-Quern", "20 users, recorded in sample.har"),
            ("show users marlow-quern", "Marlow Quernwick", "1 user, recorded in sample.har"),
            ("search users Marlow", "Marlow-Quern", "1 user, recorded in sample.har"),
            ("search users q", "Quillhester", "4 users, recorded in sample.har"),
            ("list repos Marlow-Quern --batch 10", "Marlow-Quern/almanac", "recorded in sample.har"),
            ("list repos escapement-ada", "Escapement-Ada/", "2 repositories, recorded in sample.har"),
            ("show repos Marlow-Quern/tide-tables", "tide-tables", "recorded in sample.har"),
            ("list commits Marlow-Quern/beacon", "Begin", "6 commits, recorded in sample.har"),
            ("api GET /users/Marlow-Quern", "\"login\":\"Marlow-Quern\"", ""),
            ("limits", "core", ""),
        ])
    func answered(_ line: String, _ output: String, _ errors: String) throws {
        let outcome = try run(line)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(output))
        #expect(errors.isEmpty || outcome.errors.contains(errors), "\(outcome.errors)")
        #expect(!outcome.errors.contains("fresh from") && !outcome.errors.contains("github.com"))
    }

    @Test("searches while typing are answered, from stored users if they were not recorded")
    func typed() throws {
        #expect(try run("list users --limit 5").status == 0)
        var command = command
        command.input = "m\nma\nmarl\n"
        let outcome = try command.run("search", "users", "--interactive")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("Marlow-Quern"))
    }

    @Test("the stored list of an organization is suggested if the user's list is not stored")
    func organization() throws {
        let sample = try String(contentsOfFile: Checkout.path("Recordings/sample.har"), encoding: .utf8)
        try command.write(
            sample.replacing("/users/Quernwick-Ferries/repos", with: "/orgs/Quernwick-Ferries/repos"),
            to: "sample.har")
        let source = " --set source.path=sample.har"
        #expect(try run("sync repos Quernwick-Ferries --by org" + source).status == 0)
        let list = try run("list repos Quernwick-Ferries --offline" + source)
        #expect(
            list.errors.hasSuffix("of an organization of this name is stored: --by org\n"), "\(list.errors)")
    }

    @Test("a recording without exchanges is reported as such")
    func empty() throws {
        try command.write(TestHAR.file(), to: "empty.har")
        let outcome = try run("list users --set source.path=empty.har")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("the recording contains no exchanges"), "\(outcome.errors)")
    }

    @Test("missing exchanges are reported along with the stored rows, as without a network")
    func notRecorded() throws {
        let missing = "the recording \"sample.har\" does not contain an answer to GET "
        for line in [
            "search users marl", "show users zed", "list repos lou-estuarine", "list commits a/b",
            "show repos a/b",
        ] {
            let refused = try run(line)
            #expect(refused.status == 15 && refused.output.isEmpty, "\(line)")
            #expect(refused.errors.contains(missing), "\(refused.errors)")
            #expect(refused.errors.ranges(of: "does not contain").count == 1, "\(refused.errors)")
        }
        #expect(try run("sync users").status == 0)
        let found = try run("search users marl")
        #expect(found.status == 0 && found.output.contains("Marlow-Quern"))
        #expect(found.errors.hasPrefix("The recording does not contain this search; only stored users"))
        #expect(found.errors.contains(missing))
        #expect(found.errors.split(separator: "\n").count == 2)
        let gap = try run("list users --after 900000018 --limit 2")
        #expect(gap.status == 0 && gap.output.split(separator: "\n").count == 3, "\(gap.errors)")
    }
}
