import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// A recording of GitHub and one of Slack in one configuration, and two made-up sources.
@Suite("The commands over several sources", .mayBlock, .timeLimit(.minutes(5)))
struct SeveralSourcesCommandTests {
    private let command: Command

    init() throws {
        var command = try Command()
        command.environment["PATCHBAY_CONFIG"] = command.directory + "/both.conf"
        self.command = command
        try command.write(SlackSample.text(), to: "slack.har")
        try command.write(
            """
            source = hub chat
            source.hub = recorded
            source.hub.path = \(Checkout.path("Recordings/sample.har"))
            source.hub.as = github
            source.chat = recorded
            source.chat.path = slack.har
            source.chat.as = slack
            storage.path = both.sqlite
            """, to: "both.conf")
        try command.write(
            """
            source = one two
            source.one = synthetic
            source.one.users = 300
            source.two = synthetic
            source.two.users = 200
            storage.path = made.sqlite
            """, to: "made.conf")
    }

    @discardableResult
    private func run(_ line: String, _ status: Int32 = 0) throws -> Command.Outcome {
        let outcome = try command.run(line: line)
        #expect(outcome.status == status, "\(line): \(outcome.errors)")
        return outcome
    }

    @Test("a noun of both sources must name its source; any other need not")
    func nouns() throws {
        let lines = [
            "list users", "show user ada", "search users a", "sync users", "search user a", "watch users",
            "resources users",
        ]
        for line in lines {
            try run(line, 2).expectRefusal(2, "; write github.users or slack.users")
        }
        #expect(try run("list slack.users --fields id").output.contains("U1"))
        #expect(try run("list slack.user --fields id --offline").output.contains("U1"))
        #expect(try run("show chat.users ada").output.contains("adal"))
        #expect(
            try run("list github.users --limit 3 --format jsonl").output.split(separator: "\n").count == 3)
        #expect(try run("list conversations").output.contains("general"))
        #expect(try run("list repos Marlow-Quern --limit 2").output.contains("Marlow-Quern/"))
        #expect(
            try run("list github.repos Marlow-Quern --limit 2 --offline").output.contains("Marlow-Quern/"))
        try run("list slack.repos x", 2).expectRefusal(2, "there is no resource \"slack.repos\"")
        #expect(try run("list users --source chat --offline --fields name").output.contains("ada"))
        #expect(try run("list users --source hub --offline --limit 3 --format csv").output.contains("login"))
    }

    @Test("searches and favourites name the source of their rows")
    func about() throws {
        try run("list slack.users")
        try run("list github.users --limit 50")
        try run("search slack.users ad")
        try run("search github.users marl --offline")
        let recent = try run("searches --format csv").output
        #expect(recent.contains("ad,slack users,") && recent.contains("marl,github users,"), "\(recent)")
        try run("favourites add slack.users ada")
        try run("favourites add github.user Marlow-Quern")
        try run("favourites add users ada", 2).expectRefusal(2, "write github.users or slack.users")
        #expect(try run("favourites list slack.users").output.contains("adal"))
        #expect(try run("favourites list github.users --format csv").output.contains("Marlow-Quern"))
        try run("favourites list nothing", 2).expectRefusal(2, "there is no resource \"nothing\"")
        try run("edit slack.users ada display_name=Countess")
        #expect(try run("list slack.users --offline").output.contains("Countess"))
    }

    @Test("the sources share a storage that is exported, imported, copied, verified and described as a whole")
    func storage() throws {
        try run("list slack.users")
        try run("list github.users --limit 5")
        let resources = try run("resources --format csv").output
        #expect(
            resources.contains("hub,github.users,") && resources.contains("chat,slack.users,"), "\(resources)"
        )
        #expect(resources.contains("chat,conversations,") && resources.contains("hub,repos,"))
        let exported = try run("storage export all.jsonl").errors
        let text = try command.text(of: "all.jsonl")
        #expect(text.contains("\"github_users(") && text.contains("\"slack_users("), "\(exported)")
        try run("storage import all.jsonl --set storage.path=\(command.directory)/again.sqlite")
        let again = try run("storage export --set storage.path=\(command.directory)/again.sqlite").output
        #expect(again == text)
        let copied = try run(
            "storage copy --from both.conf --to lmdb:\(command.directory)/both.lmdb --verify"
        )
        .output
        #expect(copied.contains("github_users") && copied.contains("slack_users"))
        let info = try run("storage info --format jsonl").output
        #expect(info.contains("\"github at github.example.org, slack\""), "\(info)")
        #expect(try run("storage verify").errors.hasPrefix("no faults"))
        #expect(try run("storage migrate").errors.contains("nothing to migrate"))
        try run("clear slack.users --yes")
        #expect(try run("list github.users --offline --format csv").output.split(separator: "\n").count > 5)
    }

    @Test("a command for one source requires --source")
    func one() throws {
        for line in ["api GET /users", "record x.har -- sync"] {
            try run(line, 3).expectRefusal(3, "choose it with --source: hub, chat")
        }
        // A noun determines the source, but a recording cannot be recorded.
        try run("record x.har -- list github.users", 3).expectRefusal(3, "\"recorded\" uses no network")
        #expect(try run("api GET /users?per_page=30 --source hub").output.hasPrefix("["))
        try run("list projects", 15).expectRefusal(
            15, "none of the sources hub, chat provides \"projects\"")
    }

    @Test("help and completions name the sources where necessary")
    func help() throws {
        let listed = try run("resources --format csv").output
        for noun in ["github.users", "slack.users", "repos"] {
            #expect(listed.contains(",\(noun),"), "\(listed)")
        }
        #expect(!listed.contains(",users,"))
        #expect(try run("resources slack.users").output.contains("patchbay list slack.users"))
        let offered = try run("---completion list -- positional@0 2 0 patchbay list").output
        #expect(offered.contains("slack.users\n") && !offered.contains("\nusers\n"), "\(offered)")
    }

    @Test("a wrong name of a source is compared with the names in the configuration, too")
    func wrongName() throws {
        try run("list users --source chta", 3).expectRefusal(
            3, "there is no source \"chta\" (did you mean \"chat\"?); known: hub, chat, recorded, ")
    }

    @Test("the configuration and the checks name each source")
    func checks() throws {
        let shown = try run("config show --format csv").output
        #expect(shown.contains("source,hub chat,") && shown.contains("source.chat.as,slack,"), "\(shown)")
        #expect(try run("config check").output.contains("(sources hub, chat, storage sqlite)"))
        let checks = try run("doctor --format csv").output
        #expect(
            checks.contains("hub reachability,ok,") && checks.contains("chat reachability,ok,"), "\(checks)")
        try command.write(
            "source = a b\nsource.a = synthetic\nsource.b = synthetic\nsource.b.as = a\n", to: "clash.conf")
        for line in ["config check", "list users", "sync", "doctor"] {
            let refused = try run(line + " --config clash.conf", 3)
            #expect((refused.errors + refused.output).contains("set source.b.as to another word"), "\(line)")
            #expect((refused.errors + refused.output).contains("clash.conf:4"), "\(line): \(refused.errors)")
        }
    }

    @Test("a sync fetches all sources, can be resumed, and has one status")
    func sync() throws {
        let made = " --config made.conf"
        let plan = try run("sync --plan --format jsonl" + made).output
        #expect(plan.split(separator: "\n").count == 2 && plan.contains("\"source\":\"two\""), "\(plan)")
        let first = try run("sync --max-requests 2" + made).errors
        #expect(
            first.contains("one: ") && first.contains("two: not started: stopped at --max-requests"),
            "\(first)"
        )
        let rest = try run("sync" + made).errors
        #expect(rest.contains("one: resumes after page 2") && rest.contains("two: "), "\(rest)")
        #expect(rest.components(separatedBy: ": complete").count == 3, "\(rest)")
        let stored = try run("resources --format jsonl" + made).output
        #expect(
            stored.contains("one.users") && stored.contains("two.users") && !stored.contains("\"stored\":0"))
        #expect(try run("sync two.users --restart" + made).errors.contains("complete"))
        let limits = try run("limits --offline" + made).errors
        #expect(limits.contains("no limits are known"))
    }

    @Test("if a source fails, the next one is still synced, and the status is that of the failure")
    func failing() throws {
        try command.write(SlackSample.text(users: #"{"ok":false,"error":"invalid_auth"}"#), to: "refused.har")
        try command.write(
            "source = gone made\nsource.gone = recorded\nsource.gone.path = refused.har\nsource.made = synthetic\n"
                + "source.made.users = 100\nstorage.path = failing.sqlite\n", to: "failing.conf")
        let outcome = try command.run("sync", "--config", "failing.conf")
        #expect(outcome.status == 13, "\(outcome.errors)")
        #expect(outcome.errors.contains("patchbay: gone: "), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("made: ") && outcome.errors.contains(": complete"), "\(outcome.errors)")
        #expect(try run("list made.users --offline --config failing.conf").output.contains("id"))
    }

    @Test("two servers of one API with the same ids share a storage under two words")
    func servers() throws {
        let sample = try String(contentsOfFile: Checkout.path("Recordings/sample.har"), encoding: .utf8)
        try command.write(
            sample.replacing("https://api.github.example.org", with: "https://ghe.example.org/api/v3")
                .replacing("Marlow-Quern", with: "Marlow-Works"), to: "ghe.har")
        try command.write(
            """
            source = recorded work
            source.recorded.path = \(Checkout.path("Recordings/sample.har"))
            source.work = recorded
            source.work.path = ghe.har
            source.work.definition = github
            source.work.base-url = https://ghe.example.org/api/v3
            storage.path = servers.sqlite
            """, to: "servers.conf")
        let servers = " --config servers.conf"
        for (word, name) in [("github", "Marlow-Quern"), ("work", "Marlow-Works")] {
            try run("sync \(word).users" + servers)
            let listed = try run("list \(word).users --offline --limit 200 --format csv" + servers).output
            #expect(listed.split(separator: "\n").count == 105)
            let other = word == "work" ? "Marlow-Quern" : "Marlow-Works"
            #expect(listed.contains(name) && !listed.contains(other))
        }
        let info = try run("storage info --format jsonl" + servers).output
        #expect(info.contains("\"github at github.example.org, work at ghe.example.org\""), "\(info)")
        try run("edit work.users Marlow-Works name=Mine" + servers)
        #expect(try !run("show github.users Marlow-Quern --offline" + servers).output.contains("Mine"))
        try run("clear github.users --yes" + servers)
        #expect(try run("list work.users --offline --limit 200" + servers).errors.hasPrefix("104 users"))
        // A source with the word of another server is refused, and the message names a way out.
        try command.write("storage.path = servers.sqlite\nsource.as = work\n", to: "one.conf")
        try run("list users --config one.conf", 9).expectRefusal(9, "set source.as to another word")
    }
}
