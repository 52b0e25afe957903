import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("searching GitHub")
struct SearchTests {
    private func users(
        _ networking: ScriptedNetworking, _ text: String = "location:Berlin repos:>42", next: String? = nil
    ) async throws -> ItemPage {
        try #require(try await gitHubFeed(networking).page(.users(with: text), next: next).value)
    }

    private static let user = #"{"id": 3, "login": "c", "score": 1.5}"#

    @Test("found users are in the source's order, with their total number")
    func found() async throws {
        let body =
            #"{"total_count": 40, "incomplete_results": true, "items": [\#(Self.user), {"id": 2, "login": "b"}]}"#
        let networking = ScriptedNetworking(200, [], body)
        let found = try await users(networking)
        #expect(found.ids == [3, 2])
        #expect(found.total == 40 && found.isIncomplete && found.cap == nil)
        #expect(networking.request?.path == "/search/users?q=location%3ABerlin%20repos%3A%3E42&per_page=100")
    }

    @Test("the last page of more than 1,000 results reports the cap")
    func cap() async throws {
        let found = try await users(
            ScriptedNetworking(200, [], #"{"total_count": 5000, "items": [\#(Self.user)]}"#))
        #expect(found.cap == 1_000 && found.next == nil)
    }

    @Test("a page after the first 1,000 results is an end, not an error")
    func beyond() async throws {
        let body = #"{"message": "Only the first 1000 search results are available"}"#
        let link = "https://api.github.com/search/users?q=x&page=11"
        let found = try await users(ScriptedNetworking(422, [], body), next: link)
        #expect(found.isEnd && found.cap == 1_000)
    }

    @Test("a query that GitHub refuses is an error with its message")
    func refused() async {
        let body = #"{"message": "Validation Failed", "errors": [{"code": "invalid"}]}"#
        let error = await fault { try await users(ScriptedNetworking(422, [], body)) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message == "api.github.com refused the request as invalid: \"Validation Failed\"")
    }

    @Test("a query without permission is refused with the reason")
    func reason() async {
        let body =
            #"{"message": "Validation Failed", "errors": [1, {"code": "x"}, {"message": "cannot be searched"}]}"#
        let error = await fault { try await users(ScriptedNetworking(422, [], body)) }
        #expect(error?.message.hasSuffix("as invalid: \"Validation Failed\": \"cannot be searched\"") == true)
    }

    @Test("a query has 1 to 256 characters", arguments: [0, 257])
    func length(_ count: Int) async {
        let networking = ScriptedNetworking()
        let error = await fault {
            try await users(networking, String(repeating: "ä", count: count))
        }
        #expect(error?.code == .invalidValue)
        #expect(networking.request == nil)
    }

    @Test("repositories can also be searched")
    func repositories() async throws {
        let networking = ScriptedNetworking(
            200, [], #"{"total_count": 1, "items": [\#(RepositoryTests.minimal)]}"#)
        let found = try await gitHubFeed(networking).page(.repos(with: "tetris"))
        #expect(try found.value?.decoded(as: Repository.self).map(\.fullName) == ["o/n"])
        #expect(networking.request?.path == "/search/repositories?q=tetris&per_page=100")
    }
}
