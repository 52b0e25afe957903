import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("refusals of GitHub")
struct RefusalTests {
    private func error(
        _ status: Int, _ body: String, _ fields: [(String, String)] = []
    ) async -> PatchbayError? {
        let feed = gitHubFeed(ScriptedNetworking(status, fields, body))
        return await fault { try await feed.user("octocat") }
    }

    @Test(
        "a refusal of the resource differs from one of the request",
        arguments: [
            (451, #"{"message": "Blocked", "block": {"reason": "dmca"}}"#, Refusal(.blocked, reason: "dmca")),
            (451, "", Refusal(.blocked)),
            (
                403, #"{"message": "Repository access blocked", "block": {"reason": "tos"}}"#,
                Refusal(.blocked, reason: "tos")
            ),
            (
                403, #"{"message": "Resource not accessible by integration"}"#,
                Refusal(.forbidden, reason: "Resource not accessible by integration")
            ),
            (
                403,
                #"{"message": "Request forbidden by administrative rules. Make sure it has a User-Agent"}"#,
                nil
            ),
            (410, #"{"message": "This was deleted"}"#, Refusal(.removed, reason: "This was deleted")),
            (410, #"{"message": "API version 2020-01-01 is gone"}"#, nil),
            (401, #"{"message": "Bad credentials"}"#, nil), (404, #"{"message": "Not Found"}"#, nil),
            (500, "", nil),
        ] as [(Int, String, Refusal?)])
    func refusals(_ status: Int, _ body: String, _ refusal: Refusal?) async {
        #expect(await error(status, body)?.refusal == refusal)
    }

    @Test("a required permission is a refusal, but a limit is not")
    func fields() async {
        let permission = await error(403, "{}", [("X-Accepted-GitHub-Permissions", "metadata=read")])
        #expect(permission?.refusal == Refusal(.forbidden))
        let limit = await error(
            403, #"{"message": "Resource not accessible by integration"}"#, [("X-RateLimit-Remaining", "0")])
        #expect(limit?.code == .rateLimited && limit?.refusal == nil)
    }
}
