import PatchbayTestKit
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceGitHub
import Testing

@Suite("validators of requests to GitHub")
struct ValidatorTests {
    private static let user = #"{"login": "a", "id": 1, "url": "u"}"#

    @Test(
        "validators of another token, version, server or definition are not sent"
    )
    func partitions() async throws {
        let networking = ScriptedNetworking(200, [("ETag", "\"x\"")], Self.user)
        func ask(_ fingerprint: String?, _ validator: Validator) async throws -> Validator? {
            try await gitHubFeed(networking, fingerprint: fingerprint).user("a", ifChangedFrom: validator)
                .validator
        }
        let anonymous = try #require(try await ask(nil, Validator()))
        let ours = try #require(try await ask("f1", Validator()))
        #expect(anonymous.partition == partition)
        #expect(ours.partition == scope(token: "f1"))
        _ = try await ask("f1", ours)
        #expect(networking.request?.headerFields[.ifNoneMatch] == "\"x\"")
        let others = [
            anonymous, Validator(entityTag: "\"x\"", lastModified: "d"),
            Validator(entityTag: "\"x\"", partition: scope(token: "f1", version: "2026-03-10")),
            Validator(entityTag: "\"x\"", partition: scope("http://127.0.0.1:1", token: "f1")),
            Validator(entityTag: "\"x\"", partition: scope(token: "f1", definition: "00000000")),
        ]
        for other in others {
            _ = try await ask("f1", other)
            #expect(networking.request?.headerFields.contains(.ifNoneMatch) == false)
            #expect(networking.request?.headerFields.contains(.ifModifiedSince) == false)
        }
    }

    @Test(
        "a time of the last change is kept only if it is at least a second before the answer",
        arguments: [("00", false), ("01", true), ("59", true)])
    func timeOfChange(_ second: String, isKept: Bool) async throws {
        let changed = "Thu, 01 Oct 2026 09:18:00 GMT"
        let fields = [("Last-Modified", changed), ("Date", "Thu, 01 Oct 2026 09:18:\(second) GMT")]
        let validator = try await gitHubFeed(ScriptedNetworking(200, fields, Self.user)).user("a").validator
        #expect(validator?.lastModified == (isKept ? changed : nil))
    }

    @Test("a strong tag on 304 confirms an answer with a weak one")
    func weakComparison() async throws {
        let networking = ScriptedNetworking(304, [("ETag", "\"x\"")], "")
        let validator = Validator(entityTag: "W/\"x\"", partition: partition)
        #expect(try await gitHubFeed(networking).user("a", ifChangedFrom: validator).isUnchanged)
        #expect(networking.request?.headerFields[.ifNoneMatch] == "W/\"x\"")
    }

    @Test("a page with the maximum number of users is full", arguments: [99, 100])
    func fullPages(_ count: Int) async throws {
        let body = (1...count).map { "{\"id\": \($0), \"login\": \"a\"}" }.joined(separator: ",")
        let feed = gitHubFeed(ScriptedNetworking(200, [], "[\(body)]"))
        #expect(try await feed.page(.users()).value?.isFull == (count == 100))
    }

    @Test("only a 200 has a validator", arguments: [204, 409, 422])
    func noValidator(_ status: Int) async throws {
        let messages = [
            409: "Git Repository is empty.", 422: "Only the first 1000 search results are available",
        ]
        let body = "{\"message\": \"\(messages[status] ?? "")\"}"
        let networking = ScriptedNetworking(status, status == 204 ? [] : [("ETag", "\"x\"")], body)
        let question: ListQuestion = try status == 422 ? .users(with: "x") : .commits()
        #expect(try await gitHubFeed(networking).page(question).validator == Validator())
    }
}
