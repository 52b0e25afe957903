import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

/// A bundled definition over answers by path; other paths are missing.
private func bench(_ bundled: BundledDefinition, _ answers: [String: (String, link: String?)]) throws -> Bench
{
    try Bench(
        bundled.definition,
        ScriptedNetworking { request, _, _ in
            guard let (body, link) = answers[request.path ?? ""] else {
                return Response(404, [], #"{"message": "404 Not Found", "error": "Record not found"}"#)
            }
            return Response(200, link.map { [("Link", "<\($0)>; rel=\"next\"")] } ?? [], body)
        })
}

extension Bench {
    fileprivate func item(_ handle: String, of name: String) async throws -> Item {
        let feed = try #require(source.feed)
        let fetched = try await feed.item(handle, of: try resource(name), ifChangedFrom: Validator())
        guard case .changed(let item, _) = fetched else {
            throw PatchbayError(.internalError, "unchanged without a validator")
        }
        return item
    }
}

@Suite("bundled definitions")
struct BundledTests {
    @Test(
        "none has a fault, and each starts with its name",
        arguments: [
            (BundledDefinition.slack, ["users", "conversations", "members"]),
            (.gitlab, ["projects", "issues", "merge_requests"]),
            (.mastodon, ["accounts", "following", "statuses"]), (.hackernews, ["top", "items", "users"]),
            (.pypi, ["projects", "files", "vulnerabilities"]),
        ])
    func whole(_ bundled: BundledDefinition, _ resources: [String]) throws {
        let definition = bundled.definition
        #expect(definition.api == bundled.name && definition.summary != nil && definition.check != nil)
        #expect(definition.resources.map(\.name) == resources)
        #expect(bundled.text.contains("\napi = \(bundled.name)\n"))
        for declaration in definition.resources {
            _ = try Resource(declaration, api: bundled.name)
            #expect(!declaration.columns.isEmpty, "\(declaration.name)")
        }
    }

    @Test("only abilities of the API are offered")
    func abilities() {
        func names(_ bundled: BundledDefinition, _ has: (ResourceDeclaration) -> Bool) -> [String] {
            bundled.definition.resources.filter(has).map(\.name)
        }
        #expect(names(.gitlab) { $0.since != nil } == ["projects", "issues", "merge_requests"])
        #expect(
            names(.mastodon) { $0.since != nil } == []
                && names(.mastodon) { $0.search != nil } == ["accounts"])
        #expect(names(.hackernews) { $0.fresh != nil } == ["top", "items", "users"])
        #expect(names(.pypi) { $0.show != nil } == ["projects"])
        #expect(BundledDefinition.hackernews.definition.authorization == .none)
        #expect(BundledDefinition.gitlab.definition.isSpoken(by: "gitlab.example.org"))
    }
}

@Suite("GitLab")
struct GitLabTests {
    private static let first = "/api/v4/projects?pagination=keyset&order_by=id&sort=asc&per_page=100"

    private func project(_ id: Int) -> String {
        #"{"id": \#(id), "name": "P\#(id)", "path_with_namespace": "g/p\#(id)", "star_count": 7, "topics": ["a"], "#
            + #""namespace": {"full_path": "g"}, "last_activity_at": "2026-02-01T00:00:00.000Z"}"#
    }

    @Test("projects are listed by keyset links, and one is found by its path with its licence")
    func projects() async throws {
        let next = "https://gitlab.com" + Self.first + "&id_after=2"
        let bench = try bench(
            .gitlab,
            [
                Self.first: ("[\(project(1)), \(project(2))]", link: next),
                Self.first + "&id_after=2": ("[\(project(5))]", link: nil),
                "/api/v4/projects/g%2Fp5?license=true": (
                    #"{"id": 5, "name": "P5", "path_with_namespace": "g/p5", "license": {"key": "mit"}}"#,
                    link: nil
                ),
            ])
        let projects = try await bench.items("projects")
        #expect(projects.map(\.handle) == ["g/p1", "g/p2", "g/p5"] && projects[0].title == "P1")
        #expect(projects[0].text("namespace") == "g" && projects[0]["topics"] == .json(#"["a"]"#))
        #expect(projects[0]["last_activity_at"] == .time(Timestamp("2026-02-01T00:00:00Z")!))
        #expect(try await bench.item("g/p5", of: "projects").text("license") == "mit")
        let error = await fault { _ = try await bench.item("g/p9", of: "projects") }
        #expect(error?.code == .notFound)
    }

    @Test(
        "a later run requests projects by last activity, and issues and merge requests by update time"
    )
    func since() async throws {
        let at = "2026-02-01T00%3A00%3A00Z"
        let bench = try bench(
            .gitlab,
            [
                Self.first + "&last_activity_after=\(at)": ("[\(project(1))]", link: nil),
                "/api/v4/projects/1/issues?per_page=100&updated_after=\(at)": (
                    #"[{"id": 70, "project_id": 1, "iid": 3, "title": "t", "author": {"username": "u"}}]"#,
                    link: nil
                ),
                "/api/v4/projects/1/merge_requests?per_page=100&updated_after=\(at)": (
                    #"[{"id": 80, "project_id": 1, "iid": 4, "draft": true, "labels": ["x"]}]"#, link: nil
                ),
            ])
        func items(_ name: String, of parent: Item? = nil) async throws -> [Item] {
            var question = ListQuestion(try bench.resource(name), parent: parent)
            question.since = .time(Timestamp("2026-02-01T00:00:00Z")!)
            return try await bench.pages(question).flatMap(\.items)
        }
        let project = try #require(try await items("projects").first)
        let issues = try await items("issues", of: project)
        #expect(issues.map { $0["iid"] } == [.integer(3)] && issues[0].text("author") == "u")
        let requests = try await items("merge_requests", of: project)
        #expect(requests.map { $0["draft"] } == [.boolean(true)] && requests[0]["labels"] == .json(#"["x"]"#))
    }
}

@Suite("Mastodon")
struct MastodonTests {
    /// Above 2^53, where JSON numbers are not always exact.
    private static let id = "115582993419077634"

    @Test("accounts are listed by offset until a page is empty, and ids are texts of any length")
    func accounts() async throws {
        func account(_ id: String, _ acct: String) -> String {
            #"{"id": "\#(id)", "acct": "\#(acct)", "display_name": "D", "followers_count": 3, "#
                + #""last_status_at": "2026-01-02", "fields": [{"name": "n"}]}"#
        }
        let path = "/api/v1/directory?order=new&local=true&limit=80"
        let bench = try bench(
            .mastodon,
            [
                path: ("[\(account(Self.id, "ada")), \(account("9007199254740993", "bob"))]", link: nil),
                path + "&offset=2": ("[\(account("1", "eve"))]", link: nil),
                path + "&offset=3": ("[]", link: nil),
                "/api/v1/accounts/lookup?acct=bob%40other.example": (
                    account("7", "bob@other.example"), link: nil
                ),
            ])
        let accounts = try await bench.items("accounts")
        #expect(accounts.map { $0.text("id") } == [Self.id, "9007199254740993", "1"])
        #expect(
            accounts.map(\.handle) == ["ada", "bob", "eve"] && accounts[0]["followers_count"] == .integer(3))
        #expect(bench.networking.paths.count == 3)
        #expect(try await bench.item("bob@other.example", of: "accounts").text("id") == "7")
    }

    @Test("follows and posts of an account are listed by links with ids, including empty pages")
    func links() async throws {
        let root = "/api/v1/accounts/\(Self.id)/", host = "https://mastodon.social"
        let bench = try bench(
            .mastodon,
            [
                "/api/v1/directory?order=new&local=true&limit=80": (
                    #"[{"id": "\#(Self.id)", "acct": "ada"}]"#, link: nil
                ),
                "/api/v1/directory?order=new&local=true&limit=80&offset=1": ("[]", link: nil),
                root + "following?limit=80": (
                    #"[{"id": "77", "acct": "z"}]"#,
                    link: host + root + "following?limit=80&max_id=115582993419077635"
                ),
                root + "following?limit=80&max_id=115582993419077635": (
                    "[]", link: host + root + "following?limit=80&max_id=5"
                ),
                root + "following?limit=80&max_id=5": (#"[{"id": "78", "acct": "y"}]"#, link: nil),
                root + "statuses?limit=40": (
                    #"[{"id": "9", "account": {"id": "\#(Self.id)", "acct": "ada"}, "reblog": {"id": "8"}, "#
                        + #""content": "<p>x</p>", "tags": [{"name": "t"}]}]"#, link: nil
                ),
            ])
        let ada = try #require(try await bench.items("accounts").first)
        let following = try await bench.items("following", parent: ada)
        #expect(following.map(\.key) == [[.text(Self.id), .text("77")], [.text(Self.id), .text("78")]])
        let statuses = try await bench.items("statuses", parent: ada)
        #expect(statuses.map { $0.text("reblog_id") } == ["8"] && statuses[0]["tags"] == .json(#"["t"]"#))
    }
}

@Suite("Hacker News")
struct HackerNewsTests {
    @Test("the front page keeps its order, and a null item does not exist")
    func items() async throws {
        let story =
            #"{"id": 8863, "by": "pg", "type": "story", "time": 1175714200, "score": 1, "descendants": 7}"#
        let bench = try bench(
            .hackernews,
            [
                "/v0/topstories.json": ("[8863, 5]", link: nil), "/v0/item/8863.json": (story, link: nil),
                "/v0/item/5.json": ("null", link: nil),
                "/v0/user/pg.json": (#"{"id": "pg", "karma": 1}"#, link: nil),
                "/v0/user/nobody.json": ("null", link: nil),
            ])
        let top = try await bench.items("top")
        #expect(top.map { $0["place"] } == [.integer(0), .integer(1)])
        #expect(try await bench.items("items", parent: top[1]).isEmpty)
        let items = try await bench.items("items", parent: top[0])
        #expect(items.map { $0["descendants"] } == [.integer(7)] && items[0].text("by") == "pg")
        #expect(items[0]["time"] == .time(Timestamp(milliseconds: 1_175_714_200_000)))
        #expect(try await bench.item("8863", of: "items").text("by") == "pg")
        let missing = await fault { _ = try await bench.item("5", of: "items") }
        #expect(missing?.code == .notFound && missing?.message.contains("there is no item \"5\"") == true)
        let users = try await bench.pages(ListQuestion(bench.resource("users"), arguments: ["pg"]))
        #expect(users.flatMap(\.items).map { $0["karma"] } == [.integer(1)])
        let nobody = try await bench.pages(ListQuestion(bench.resource("users"), arguments: ["nobody"]))
        #expect(nobody.flatMap(\.items).isEmpty)
    }
}

@Suite("the Python Package Index")
struct PyPITests {
    @Test("one answer gives a project, its files by version, and its vulnerabilities")
    func files() async throws {
        let body = #"""
            {"info": {"name": "sampleproject", "version": "4.0.0", "requires_dist": ["peppercorn"],
              "classifiers": ["A", "B"]},
             "releases": {"1.0": [], "1.2.0": [{"filename": "f-1.2.0.whl", "size": 1, "digests": {"sha256": "x"},
                "upload_time_iso_8601": "2015-06-14T14:38:05.875222Z", "yanked": false}],
               "4.0.0": [{"filename": "f-4.whl", "yanked": true}, {"filename": "f-4.tgz", "digests": {}}]},
             "vulnerabilities": [{"id": "PYSEC-1", "aliases": ["CVE-1"], "fixed_in": ["2.0"]}]}
            """#
        let bench = try bench(.pypi, ["/pypi/sampleproject/json": (body, link: nil)])
        let projects = try await bench.pages(
            ListQuestion(bench.resource("projects"), arguments: ["sampleproject"])
        ).flatMap(\.items)
        #expect(projects.map(\.handle) == ["sampleproject"] && projects[0].text("version") == "4.0.0")
        #expect(projects[0]["requires_dist"] == .json(#"["peppercorn"]"#))
        #expect(try await bench.item("sampleproject", of: "projects").text("version") == "4.0.0")
        let files = try await bench.items("files", parent: projects[0])
        #expect(files.map { $0.text("version") } == ["1.2.0", "4.0.0", "4.0.0"])
        #expect(files.map { $0.text("project") } == Array(repeating: "sampleproject", count: 3))
        #expect(files.map { $0.text("sha256") } == ["x", nil, nil] && files[1]["yanked"] == .boolean(true))
        #expect(files[0]["uploaded_at"] == .time(Timestamp(milliseconds: 1_434_292_685_875)))
        let vulnerabilities = try await bench.items("vulnerabilities", parent: projects[0])
        #expect(vulnerabilities.map { $0["fixed_in"] } == [.json(#"["2.0"]"#)])
    }

    @Test("a bundled definition states its hosts and whether it has settings before it is read")
    func knownBefore() {
        let definitions = [.slack, .gitlab, .mastodon, .hackernews, .pypi] + BundledDefinition.described
        for definition in definitions {
            #expect(definition.hasSettings == !definition.definition.settings.isEmpty, "\(definition.name)")
            let line = ConfigurationFile.value(of: "hosts", in: Array(definition.text.utf8))
            #expect(line == definition.definition.hosts.joined(separator: " "), "\(definition.name)")
            #expect(definition.hosts == definition.definition.hosts, "\(definition.name)")
        }
    }
}
