import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

/// Verbs with a resource as their first argument.
@Suite("Commands about resources")
struct ResourceCommandTests {
    private func parse<Command: ParsableCommand>(_ line: String, as type: Command.Type) async throws
        -> Command
    {
        let words = line.split(separator: " ").map(String.init)
        return try #require(try await PatchbayCommand.asyncParseAsRoot(words) as? Command, "\(line)")
    }

    @Test(
        "a resource can be named in the singular and the plural, with hyphens or underscores",
        arguments: ["merge-requests", "merge_requests", "merge-request"])
    func nouns(_ word: String) throws {
        var requests = DeclaredSample.people
        requests.name = "merge_requests"
        requests.singular = "merge request"
        try CommandLineTool.$declared.withValue(DeclaredResources(chosen: [requests])) { () throws in
            #expect(try DeclaredResource(named: word).declaration.name == "merge_requests")
        }
    }

    @Test("a list has the arguments of its address; --by chooses another one")
    func lists() async throws {
        let repos = try await parse("list repos swift --by org --batch 10 --number 3", as: ListRows.self)
        let commits = try await parse("ls commits a/b -n 5", as: ListRows.self)
        let all = try await parse("sync commits", as: SyncCommand.self)
        try DeclaredSample.known {
            let list = try repos.arguments.list(of: try DeclaredResource(named: repos.resource.name))
            #expect(list.list.name == "org" && list.usage == "repos <organization> --by org")
            #expect(repos.part.batch == 10 && repos.part.number == 3)
            let ofRepo = try commits.arguments.list(of: try DeclaredResource(named: "commits"))
            #expect(ofRepo.arguments.map(\.text) == ["owner/name"] && commits.limit == 5)
            #expect(
                try all.arguments.list(of: try DeclaredResource(named: "commits"), mayOmitParent: true)
                    .hasOnlyParent)
        }
    }

    @Test(
        "lists that do not exist, and words that do not fit, are refused with what to write",
        arguments: [
            ("repos", "the <owner> is missing; write repos <owner> or"),
            ("repos a b", "unexpected argument \"b\"; write repos <owner>"),
            ("repos a --by orgs", "there is no view \"orgs\" (did you mean \"org\"?); known: org, public"),
            ("repos --by org", "the <organization> is missing"),
            ("repos a --by public", "unexpected argument \"a\""),
            ("users --by org", "users have no views"),
            ("users extra", "unexpected argument \"extra\"; \"patchbay show users extra\" shows one row"),
            ("commits a", "\"a\" is not owner/name"), ("commits a/", "\"a/\" is not owner/name"),
            (
                "usres",
                "there is no resource \"usres\" (did you mean \"users\"?); known: users, repos, commits"
            ),
        ])
    func refusals(_ words: String, _ expected: String) async throws {
        let command = try await parse("list \(words)", as: ListRows.self)
        let error = #expect(throws: ValidationError.self) {
            try DeclaredSample.known {
                _ = try command.arguments.list(of: try DeclaredResource(named: command.resource.name))
            }
        }
        #expect(error?.message.contains(expected) == true, "\(words): \(error?.message ?? "")")
    }

    @Test("--with adds a favourite or a child of the resource")
    func additions() async throws {
        let list = try await parse("list repos a --with commits", as: ListRows.self)
        try DeclaredSample.known {
            let repos = try DeclaredResource(named: "repos"), users = try DeclaredResource(named: "users")
            #expect(
                try list.addition.chosen(of: repos).names == [
                    "commit_sha", "commit_date", "commit_message", "commit_state",
                ])
            #expect(throws: ValidationError.self) { try list.addition.chosen(of: users) }
        }
    }

    @Test("rows are named by their handle, and edits are fields with texts")
    func rows() async throws {
        let edit = try await parse("edit users ada name=Ada=1 name=", as: EditRow.self)
        #expect(edit.row.handle == "ada" && edit.changes == ["name=Ada=1", "name="])
        try DeclaredSample.known { () throws in
            #expect(try edit.row.checked(try DeclaredResource(named: "users")) == "ada")
        }
        for (line, reason) in [("repos ada", "is not owner/name"), ("commits a", "have no handle")] {
            let show = try await parse("show \(line)", as: ShowRow.self)
            let error = #expect(throws: ValidationError.self) {
                try DeclaredSample.known {
                    _ = try show.row.checked(try DeclaredResource(named: show.resource.name))
                }
            }
            #expect(error?.message.contains(reason) == true, "\(line): \(error?.message ?? "")")
        }
    }

    @Test("a resource is described with its lists, fields, edits, children and examples")
    func description() throws {
        try DeclaredSample.known {
            let repos = ResourceDescription(try DeclaredResource(named: "repos")).text
            for line in [
                "  patchbay list repos <owner>\n", "  patchbay list repos <organization> --by org\n",
                "  patchbay list repos --by public\n", "pushed_at         time\n",
                "parent            text (details)",
                "owner/name", "Lists of each repository: commits", "  patchbay show repos <owner/name>",
            ] { #expect(repos.contains(line), "\(repos)") }
            let users = ResourceDescription(try DeclaredResource(named: "users")).text
            #expect(users.contains("edited locally: name.") && users.contains("edit users <login> name=TEXT"))
        }
    }

    @Test("resources of other definitions can be named and are not listed")
    func others() throws {
        var channels = DeclaredSample.projects
        channels.name = "channels"
        let declared = DeclaredResources(
            chosen: [DeclaredSample.people],
            others: [DeclaredSample.people, channels, DeclaredSample.changes])
        #expect(declared.others.map(\.noun) == ["channels", "commits"])
        try CommandLineTool.$declared.withValue(declared) { () throws in
            #expect(try DeclaredResource(named: "channels").declaration.name == "channels")
        }
    }

    @Test("the page of all commands has each verb once, and common options once")
    func page() {
        let page = DeclaredSample.known { CommandReference.markdown }
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("## `") }
        #expect(Set(headings).count == headings.count && headings.contains("## `patchbay list`"))
        #expect(page.ranges(of: "--config <file>").count == 1)
    }
}
