import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayCLI

/// The commands that a definition creates.
@Suite("Commands of declared resources")
struct ResourceCommandTests {
    private func parse(_ line: String) throws -> any ParsableCommand {
        try DeclaredSample.known {
            let words = line.split(separator: " ").map(String.init)
            return try PatchbayCommand.parseAsRoot(WordOrder(CommandLineTool.declared).turned(words))
        }
    }

    /// Returns why a line is refused; nil if it is not.
    private func refusal(_ line: String) -> String? {
        do {
            _ = try parse(line)
            return nil
        } catch {
            return DeclaredSample.known { PatchbayCommand.message(for: error) }
        }
    }

    @Test(
        "resource and verb can be in either order, and a resource has several names",
        arguments: [
            ("list users --limit 3", "users list --limit 3"), ("users list", "users list"),
            ("ls repos ada", "repos ls ada"), ("view user ada", "users view ada"),
            ("show repository a/b", "repos show a/b"),
            ("repositories list ada", "repos list ada"), ("help list users", "help users list"),
            ("search user tom", "search users tom"), ("users search tom", "search users tom"),
            ("repositories sync ada", "sync repos ada"), ("help users sync", "help sync users"),
            ("sync repositories ada", "sync repos ada"),
            ("sync org-repos x", "sync org-repos x"), ("list strangers", "list strangers"),
            ("search recent", "search recent"), ("list", "list"), ("", ""),
            ("favourites add users", "favourites add users"), ("api GET /users", "api GET /users"),
        ])
    func order(_ line: String, _ turned: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(
            WordOrder(DeclaredResources(chosen: DeclaredSample.all)).turned(words).joined(separator: " ")
                == turned)
    }

    @Test("a resource can be named with hyphens, as a definition spells it, or with underscores")
    func hyphens() {
        var requests = DeclaredSample.all[0]
        requests.name = "merge_requests"
        for line in ["merge-requests list 7", "list merge-requests 7", "merge_requests list 7"] {
            let words = line.split(separator: " ").map(String.init)
            #expect(
                WordOrder(DeclaredResources(chosen: [requests])).turned(words) == [
                    "merge_requests", "list", "7",
                ])
        }
    }

    @Test("an ordered list has a start and a limit, a linked one has batches and views")
    func lists() throws {
        let users = try #require(parse("users list --after 7 --with favourite") as? ListRows<FirstPlace>)
        #expect(users.ordered.options != nil && users.linked.options == nil)
        #expect(users.addition.word == "favourite" && users.arguments.words.isEmpty)
        let repos = try #require(
            parse("repos list --org swift --batch 10 --number 3 --with commits")
                as? ListRows<PlaceAfter<FirstPlace>>)
        #expect(repos.arguments.list == "org" && repos.arguments.words == ["swift"])
        #expect(repos.linked.options?.batch == 10 && repos.linked.options?.number == 3)
        let names = DeclaredSample.known { repos.addition.names }
        #expect(names == ["commit_sha", "commit_date", "commit_message", "commit_state"])
        let all = try #require(parse("repos list --public") as? ListRows<PlaceAfter<FirstPlace>>)
        #expect(all.arguments.list == "public" && all.arguments.words.isEmpty)
        let commits = try #require(
            parse("commits ls a/b --limit 5") as? ListRows<PlaceAfter<PlaceAfter<FirstPlace>>>)
        #expect(commits.arguments.words == ["a/b"] && commits.limit == 5)
    }

    @Test("rows are shown, edited and opened, and their pictures written, by handle")
    func rows() throws {
        let show = try #require(parse("show users ada --open") as? ShowRow<FirstPlace>)
        #expect(show.row.handle == "ada" && show.opening.options?.open == true)
        let edit = try #require(parse("users edit ada --name Ada") as? EditRow<FirstPlace>)
        #expect(edit.edits.texts.map(\.field) == ["name"] && edit.edits.texts.map(\.text) == ["Ada"])
        #expect(try parse("users avatar ada --output x") is PictureOfRow<FirstPlace>)
        #expect(try parse("users watch --after 5") is WatchRows<FirstPlace>)
        let clear = try #require(parse("users clear --yes --keep-edits") as? ClearRows<FirstPlace>)
        #expect(clear.edits.options?.keepEdits == true)
    }

    @Test("a sync is named after its list; a search after its resource")
    func syncs() throws {
        #expect(
            DeclaredSample.known { ResourceList.all.map(\.word) } == [
                "users", "repos", "org-repos", "public-repos", "commits",
            ])
        let users = try #require(parse("sync users --details") as? SyncRows<FirstPlace>)
        #expect(users.details.options?.details == true)
        #expect(try parse("sync org-repos swift") is SyncRows<PlaceAfter<PlaceAfter<FirstPlace>>>)
        #expect(try parse("search repos tom") is SearchRows<PlaceAfter<FirstPlace>>)
    }

    @Test(
        "options that a resource does not have are unknown, and missing arguments are named",
        arguments: [
            ("users list --batch 3", "Unknown option '--batch'"),
            ("repos list a --after 1", "Unknown option '--after'"),
            ("users list --org x", "Unknown option '--org'"), ("repos list", "'<owner>'"),
            ("repos list a b", "'b'"), ("repos list --org --public a", "cannot be used together"),
            ("repos show a", "\"a\" is not owner/name"), ("commits list a/", "\"a/\" is not owner/name"),
            ("users edit ada --nme x", "Unknown option '--nme'"), ("repos show a/b --open", "--open"),
            ("users list --with commits", "choose one of favourite"), ("users list extra", "'extra'"),
            ("commits show a/b", "show"), ("sync commits a", "\"a\" is not owner/name"),
            ("sync commits a/b --details", "--details"),
            ("repos list x --batch -1", "'-1' is invalid for '--batch <count>'"),
            ("repos list x --number 2", "needs --batch"),
            ("repos list x --batch 10001", "from 1 to 10000"),
            ("users list --after -1", "'-1' is invalid for '--after <id>'"),
        ])
    func refusals(_ line: String, _ words: String) {
        let refusal = refusal(line)
        #expect(refusal?.contains(words) == true, "\(line): \(refusal ?? "taken")")
    }

    @Test("the help of a resource describes it, and the page of all commands covers each resource")
    func help() throws {
        try DeclaredSample.known {
            let help = PatchbayCommand.helpMessage(for: ResourceCommand<PlaceAfter<FirstPlace>>.self)
            #expect(help.contains("patchbay repos list <owner>") && help.contains("<organization> --org"))
            #expect(
                help.contains("pushed_at         time") && help.contains("parent            text (details)"))
            #expect(help.contains("owner/name") && help.contains("stored ones are searched"))
            let page = try CommandReference.markdown
            let headings = page.split(separator: "\n").filter { $0.hasPrefix("## ") }
            for command in [
                "users edit", "users picture", "repos show", "commits list", "search repos",
                "sync public-repos",
            ] {
                #expect(headings.contains { $0.contains("`patchbay \(command)`") }, "\(command)")
            }
            #expect(
                !headings.contains { $0.contains("`patchbay commits show`") } && page.contains("--after <id>")
            )
        }
    }

    @Test("completions know the resources and the options of each")
    func completions() throws {
        let found = try DeclaredSample.known {
            try [[""], ["repos", "list", "--or"], ["sync", "org"]].map {
                try Completion(of: $0).candidates.map(\.word)
            }
        }
        #expect(found[0].starts(with: ["users", "repos"]))
        #expect(found[1...] == [["--org"], ["org-repos"]])
    }

    @Test("resources of other definitions can be named and are not listed")
    func others() throws {
        var channels = DeclaredSample.projects
        channels.name = "channels"
        let declared = DeclaredResources(
            chosen: [DeclaredSample.people],
            others: [DeclaredSample.people, channels, DeclaredSample.changes])
        #expect(declared.others.map(\.noun) == ["channels", "commits"])
        try CommandLineTool.$declared.withValue(declared) {
            #expect(try !CommandReference.markdown.contains("`patchbay channels`"))
            let command = try PatchbayCommand.parseAsRoot(["channels", "list", "x"])
            #expect(command is ListRows<PlaceAfter<FirstPlace>>)
        }
    }
}
