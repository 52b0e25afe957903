import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceGitHub
import Testing

@Suite("by definition: what GitHub is asked with, whether it changed")
struct DefinedValidatorTests {
    private static let user = #"{"login": "a", "id": 1, "url": "u"}"#

    @Test(
        "semantics-15, 16: what another token, version or server was answered with is asked for unconditionally"
    )
    func partitions() async throws {
        let networking = ScriptedNetworking(200, [("ETag", "\"x\"")], Self.user)
        func ask(_ fingerprint: String?, _ validator: Validator) async throws -> Validator? {
            let source = SourceAPI.defined.open(
                networking, "https://api.github.com", fingerprint: fingerprint)
            guard
                case .changed(_, let validator)? = try await source.users?.user("a", ifChangedFrom: validator)
            else { return nil }
            return validator
        }
        let anonymous = try #require(try await ask(nil, Validator()))
        let ours = try #require(try await ask("f1", Validator()))
        #expect(anonymous.partition == partition)
        #expect(ours.partition == "https://api.github.com f1 application/vnd.github+json 2022-11-28")
        _ = try await ask("f1", ours)
        #expect(networking.request?.headerFields[.ifNoneMatch] == "\"x\"")
        let others = [
            anonymous, Validator(entityTag: "\"x\"", lastModified: "d"),
            Validator(
                entityTag: "\"x\"",
                partition: "https://api.github.com f1 application/vnd.github+json 2026-03-10"
            ),
            Validator(
                entityTag: "\"x\"", partition: "http://127.0.0.1:1 f1 application/vnd.github+json 2022-11-28"),
        ]
        for other in others {
            _ = try await ask("f1", other)
            #expect(networking.request?.headerFields.contains(.ifNoneMatch) == false)
            #expect(networking.request?.headerFields.contains(.ifModifiedSince) == false)
        }
    }

    @Test("semantics-12: a strong tag on 304 confirms what was told under a weak one")
    func weakComparison() async throws {
        let networking = ScriptedNetworking(304, [("ETag", "\"x\"")], "")
        let users = DefinedUsers(networking: networking, baseURL: "https://api.github.com")
        let validator = Validator(entityTag: "W/\"x\"", partition: partition)
        guard case .unchanged = try await users.user("a", ifChangedFrom: validator) else {
            return #expect(Bool(false), "changed")
        }
        #expect(networking.request?.headerFields[.ifNoneMatch] == "W/\"x\"")
    }

    @Test("semantics-17: a page that holds as many users as it may is told as full", arguments: [99, 100])
    func fullPages(_ count: Int) async throws {
        let body = (1...count).map { "{\"id\": \($0), \"login\": \"a\"}" }.joined(separator: ",")
        let users = DefinedUsers(
            networking: ScriptedNetworking(200, [], "[\(body)]"), baseURL: "https://api.github.com")
        #expect(try await users.users(.after(0), ifChangedFrom: Validator()).value?.isFull == (count == 100))
    }

    @Test("semantics-19: nothing but a 200 gives a validator", arguments: [204, 409])
    func noValidator(_ status: Int) async throws {
        let messages = [
            409: "Git Repository is empty.", 422: "Only the first 1000 search results are available",
        ]
        let body = "{\"message\": \"\(messages[status] ?? "")\"}"
        let networking = ScriptedNetworking(status, status == 204 ? [] : [("ETag", "\"x\"")], body)
        let commits = try #require(SourceAPI.defined.open(networking, "https://api.github.com").commits)
        guard
            case .changed(_, let validator) = try await commits.commits(
                .first(.id(1)), ifChangedFrom: Validator())
        else { return #expect(Bool(false), "unchanged") }
        #expect(validator == Validator())
    }
}
