import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import Testing

/// Lists that a sync finds by itself: in a field of stored rows, and for each value that the definition names.
@Suite("lists in stored rows, and lists for each value")
struct ListsWithoutRequestsTests {
    private static let issues = """
        api = x
        base-url = https://api.example.org
        issues.path = /issues
        issues.key = id
        issues.field.id = integer
        issues.field.labels = json
        issues.next = page page
        labels.from = {issues.labels}
        labels.key = issue id
        labels.field.issue = integer {issues.id}
        labels.field.id = integer
        labels.field.name = text

        """
    private static let posts = """
        api = x
        base-url = https://api.example.org
        posts.path = /posts?site={site}
        posts.each = site a%20b {chosen}
        setting.chosen = the sites, separated by commas
        posts.key = site id
        posts.field.site = text {site}
        posts.field.id = integer
        posts.next = page page

        """

    private func gateway(
        _ text: String, _ network: ScriptedNetworking, _ values: [String: String] = [:]
    ) async throws -> Gateway {
        try await Gateway.scripted(text, over: network, values, environment: ["A": "f1rst", "B": "s3cond"])
    }

    private func rows(_ gateway: Gateway, _ name: String) async throws -> [Item] {
        let resource = try gateway.resource(name)
        return try await gateway.store.read {
            try $0.listedItems(Query(resource.collection), of: resource, limit: .max)
        }
    }

    /// Two pages of two issues, and an empty one; `second` is the name of each second label.
    private func issues(_ second: @escaping @Sendable () -> String?) -> ScriptedNetworking {
        ScriptedNetworking { request, _, _ in
            let page = request.path?.last?.wholeNumberValue ?? 1
            let rows = (page * 2 - 1...page * 2).map { id in
                let more = second().map { #", {"id": 2, "name": "\#($0)"}"# } ?? ""
                return #"{"id": \#(id), "labels": [{"id": 1, "name": "bug"}\#(more)]}"#
            }
            return Response(200, [], page > 2 ? "[]" : "[\(rows.joined(separator: ","))]")
        }
    }

    @Test("rows in a field of other rows need no request, are as old as those, and go with them")
    func stored() async throws {
        let hasSecond = Mutex(true)
        let network = issues { hasSecond.withLock { $0 } ? "fix" : nil }
        let gateway = try await gateway(Self.issues, network)
        let (end, progress) = await gateway.syncAll().run()
        #expect(end.isComplete && progress.requests == 3 && network.sent.count == 3)
        let labels = try await rows(gateway, "labels")
        #expect(labels.map(\.keyText) == (1...4).flatMap { ["\($0)/1", "\($0)/2"] })
        let first = try #require(try await rows(gateway, "issues").first)
        #expect(labels[0].state.fetchedAt == first.state.fetchedAt)
        // Nothing is due until the issues are fetched again.
        let again = await gateway.syncChildren(try gateway.resource("labels")).run()
        #expect(again.0.isComplete && again.1.requests == 0 && again.1.rows == 0)
        let plan = try await gateway.syncChildren(try gateway.resource("labels")).plan()
        #expect(plan.requestsMin == 0 && plan.requestsMax == 0)
        hasSecond.withLock { $0 = false }
        #expect(await gateway.syncAll(from: .theBeginning).run().0.isComplete)
        #expect(try await rows(gateway, "labels").map(\.keyText) == (1...4).map { "\($0)/1" })
        try await gateway.close()
    }

    @Test("rows in a field that has become empty are gone, although the other row is never read again")
    func emptied() async throws {
        let labels = Mutex(#"[{"id": 1, "name": "bug"}]"#)
        let network = ScriptedNetworking { request, _, _ in
            let isFurther = request.path?.contains("page=") == true
            return Response(200, [], isFurther ? "[]" : #"[{"id": 1, "labels": \#(labels.withLock { $0 })}]"#)
        }
        let gateway = try await gateway(Self.issues, network)
        #expect(await gateway.syncAll().run().0.isComplete)
        #expect(try await rows(gateway, "labels").count == 1)
        labels.withLock { $0 = "[]" }
        #expect(await gateway.syncAll().run().0.isComplete)
        #expect(try await rows(gateway, "labels").isEmpty)
        try await gateway.close()
    }

    @Test("a sync that was ended in the middle continues with the rows that are left")
    func interrupted() async throws {
        let network = issues { "fix" }
        let gateway = try await gateway(Self.issues, network)
        for _ in 0..<12 where try await rows(gateway, "labels").count < 8 {
            _ = await gateway.syncAll(maximumRequests: 1).run()
        }
        #expect(await gateway.syncAll().run().0.isComplete)
        #expect(try await rows(gateway, "labels").count == 8)
        try await gateway.close()
    }

    @Test("a field that has no rows, or other ones, says so")
    func otherRows() async throws {
        for (value, fault) in [
            ("null", nil), ("[]", nil), (#"[{"id": "x"}]"#, "id"),
            ("7", "the labels of the issue \"1\" are not"),
            (#"[{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]"#, "labels.key"),
        ] {
            let network = ScriptedNetworking(200, [], #"[{"id": 1, "labels": \#(value)}]"#)
            let gateway = try await gateway(
                Self.issues.replacing("issues.next = page page", with: "issues.next = none"), network)
            var words = ""
            for await event in gateway.syncAll() {
                if case .skipped(_, let error) = event { words += error.message }
                if case .ended(_, let progress) = event { words += "\(progress.shortfalls)" }
            }
            #expect((words == "[]") == (fault == nil), "\(value): \(words)")
            if let fault { #expect(words.contains(fault), "\(words)") }
            try await gateway.close()
        }
    }

    @Test(
        "a field that states that it lacks rows makes the list incomplete, unless the definition settles it",
        arguments: [
            (#""has_more": true"#, "", "may lack some of the labels, because \"has_more\" is true"),
            (#""has_more": true"#, "labels.next = none", nil),
            (
                #""total_count": 25"#, "",
                "the field labels of the issue \"1\" has 1 of 25 labels; labels.path in place"
            ),
            (#""total_count": 25"#, "labels.total = none", nil), (#""total_count": 1"#, "", nil),
            (#""n": 25, "total_count": 1"#, "labels.total = n", "has 1 of 25 labels"),
            (#""paging": {"next": "b"}"#, "", "because it names a next page at \"paging/next\""),
        ])
    func partOfList(_ members: String, _ rule: String, _ words: String?) async throws {
        let network = ScriptedNetworking(
            200, [], #"[{"id": 1, "labels": {"data": [{"id": 1, "name": "a"}], \#(members)}}]"#)
        let gateway = try await gateway(
            Self.issues.replacing("issues.next = page page", with: "issues.next = none")
                + "labels.rows = data\n\(rule)\n", network)
        let (end, progress) = await gateway.syncAll().run()
        #expect(end.isComplete == (words == nil))
        let reasons = progress.shortfalls.map(\.shortfall.reason)
        #expect(reasons.count == (words == nil ? 0 : 1))
        if let words { #expect(reasons.first?.contains(words) == true, "\(reasons)") }
        #expect(try await rows(gateway, "labels").count == 1)
        try await gateway.close()
    }

    @Test("a list is fetched for each value that the definition or a setting names, and resumes among them")
    func each() async throws {
        let network = ScriptedNetworking { request, _, _ in
            Response(200, [], request.path?.contains("page=") == true ? "[]" : #"[{"id": 1}, {"id": 2}]"#)
        }
        let gateway = try await gateway(Self.posts, network, ["source.settings": "chosen=c,d"])
        let plan = try await gateway.syncAll().plan()
        #expect(plan.requestsMin == 3)
        for _ in 0..<3 { _ = await gateway.syncAll(maximumRequests: 2).run() }
        #expect(await gateway.syncAll().run().0.isComplete)
        #expect(
            Array(network.paths.prefix(6))
                == ["a%20b", "c", "d"].flatMap { ["/posts?site=\($0)", "/posts?site=\($0)&page=2"] })
        #expect(
            try await rows(gateway, "posts").map(\.keyText) == [
                "a%20b/1", "a%20b/2", "c/1", "c/2", "d/1", "d/2",
            ])
        try await gateway.close()
        let absent = await fault { try await self.gateway(Self.posts, network).close() }
        #expect(absent?.message.contains("chosen is not set") == true)
    }

    @Test("the lists of some values are not complete while those of others were never fetched")
    func missingValues() async throws {
        let network = ScriptedNetworking { request, _, _ in
            Response(200, [], request.path?.contains("page=") == true ? "[]" : #"[{"id": 1}]"#)
        }
        let gateway = try await gateway(Self.posts, network, ["source.settings": "chosen=c,d"])
        let posts = try gateway.resource("posts")
        func partial() async throws -> [String] {
            let ages = try await gateway.store.read { try $0.listAges(of: posts, among: [posts]) }
            #expect(ages.partial == ages.partialNames.count)
            return ages.partialNames
        }
        #expect(try await partial() == [])
        #expect(await (try gateway.sync("posts", "c")).run().0.isComplete)
        #expect(try await partial() == ["a b", "d"])
        _ = await gateway.syncAll(maximumRequests: 1).run()
        #expect(try await partial() == ["a b", "d"])
        #expect(await gateway.syncAll().run().0.isComplete)
        #expect(try await partial() == [])
        try await gateway.close()
    }

    @Test(
        "a row that leaves the list of a value is gone, unless another value of an argument may still have it",
        arguments: [("site id", "", ["c/3"]), ("site id", "&tag={tag}", ["a%20b/1", "c/2", "c/3"])])
    func leftList(_ key: String, _ more: String, _ listed: [String]) async throws {
        let isLater = Mutex(false)
        let network = ScriptedNetworking { request, _, _ in
            let path = request.path ?? "", isLater = isLater.withLock { $0 }
            if path.contains("page=") { return Response(200, [], "[]") }
            let ids = path.contains("site=c") ? isLater ? [3] : [2, 3] : isLater ? [] : [1]
            return Response(200, [], "[" + ids.map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]")
        }
        let text = Self.posts.replacing("posts.key = site id", with: "posts.key = \(key)")
            .replacing("?site={site}", with: "?site={site}\(more)")
            .replacing("posts.each = site a%20b {chosen}\n", with: "")
            .replacing("setting.chosen = the sites, separated by commas\n", with: "")
        let gateway = try await gateway(text, network)
        func sync() async throws {
            for site in ["a b", "c"] {
                let arguments = more.isEmpty ? [site] : [site, "x"]
                let question = try gateway.question(gateway.resource("posts"), arguments: arguments)
                #expect(await gateway.sync(question).run().0.isComplete)
            }
        }
        try await sync()
        #expect(try await rows(gateway, "posts").map(\.keyText) == ["a%20b/1", "c/2", "c/3"])
        isLater.withLock { $0 = true }
        // An empty list shows only the second time that its rows are gone.
        for _ in 1...2 { try await sync() }
        #expect(try await rows(gateway, "posts").map(\.keyText) == listed)
        try await gateway.close()
    }

    @Test("both are replayed from a recording")
    func recorded() async throws {
        let folder = try TemporaryDirectory(), path = folder.path + "/x.har"
        let answers = ScriptedNetworking { request, _, _ in
            let isFurther = request.path?.contains("page=") == true
            return Response(200, [], isFurther ? "[]" : #"[{"id": 1, "labels": [{"id": 1, "name": "bug"}]}]"#)
        }
        for (text, name, values) in [
            (Self.issues, "labels", [:]), (Self.posts, "posts", ["source.settings": "chosen=c,d"]),
        ] {
            let file = path + name
            let recording = try await gateway(text, answers, values.merging(["source.record": file]) { $1 })
            #expect(await recording.syncAll().run().0.isComplete)
            let keys = try await rows(recording, name).map(\.keyText)
            try await recording.close()
            let replay = try await gateway(
                text, ScriptedNetworking(500, [], ""),
                values.merging(["source": "recorded", "source.path": file]) { $1 })
            #expect(await replay.syncAll().run().0.isComplete)
            #expect(try await rows(replay, name).map(\.keyText) == keys && !keys.isEmpty)
            try await replay.close()
        }
    }

    @Test(
        "a second secret is sent beside the first one, and neither is recorded",
        arguments: [
            ("auth = query key\nauth-second = query token", "/issues?key=f1rst&token=s3cond", nil, nil),
            (
                "auth = header DD-API-KEY\nauth-second = header DD-APPLICATION-KEY", "/issues", "DD-API-KEY",
                "DD-APPLICATION-KEY"
            ),
            ("auth = bearer\nauth-second = header X-Org Org", "/issues", "Authorization", "X-Org"),
        ])
    func secondSecret(_ lines: String, _ sent: String, _ first: String?, _ second: String?) async throws {
        let folder = try TemporaryDirectory(), path = folder.path + "/x.har"
        let network = ScriptedNetworking(200, [], #"[{"id": 1, "you": "f1rst s3cond"}]"#)
        let text = Self.issues.replacing("page page", with: "none") + lines
        let both = ["source.token": "env:A", "source.second-token": "env:B"]
        let gateway = try await gateway(text, network, both.merging(["source.record": path]) { $1 })
        for try await _ in try gateway.sync("issues") {}
        try await gateway.close()
        let request = try #require(network.sent.first)
        #expect(request.path == sent)
        for (name, value) in [(first, "f1rst"), (second, "s3cond")] {
            guard let name else { continue }
            #expect(request.headerFields[HTTPField.Name(name)!]?.hasSuffix(value) == true)
        }
        let recording = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!recording.contains("f1rst") && !recording.contains("s3cond"))
        let replay = try await self.gateway(
            text, ScriptedNetworking(500, [], ""), ["source": "recorded", "source.path": path])
        for try await event in try replay.sync("issues") {
            if case .ended(let end, _) = event { #expect(end.isComplete) }
        }
        try await replay.close()
        for key in ["source.token", "source.second-token"] {
            let fault = await fault {
                try await self.gateway(text, network, both.filter { $0.key == key }).close()
            }
            #expect(fault?.code == .invalidConfiguration)
        }
        let unknown = await fault { try await self.gateway(Self.issues, network, both).close() }
        #expect(unknown?.message.contains("the definition sends no second secret") == true)
    }
}

extension SyncEnd {
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
