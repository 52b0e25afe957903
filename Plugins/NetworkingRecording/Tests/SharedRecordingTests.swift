import CPlatform
import HTTPTypes
import NetworkingRecording
import PatchbayCore
import Testing

/// The folder of shared recordings: PATCHBAY_SHARED, or beside the checkout.
let sharedRecordings =
    unsafe (getenv("PATCHBAY_SHARED").map { unsafe String(cString: $0) } ?? packageRoot + "/../shared")
    + "/recordings"

@Suite(
    "the shared recordings",
    .enabled(
        if: unsafe access(sharedRecordings, R_OK) == 0, "needs the shared recordings; set PATCHBAY_SHARED")
)
struct SharedRecordingTests {
    @Test("open as one folder, with the hosts of their requests")
    func folder() throws {
        let recording = try Recording.open(sharedRecordings)
        #expect(recording.name == "recordings")
        #expect(recording.entryCount > 280)
        #expect(recording.hosts.starts(with: ["api.github.com", "slack.com"]))
    }

    @Test("a list continues at its Link header for any requested page size")
    func pages() async throws {
        let recording = try Recording.open(sharedRecordings + "/users_list_2013.har")
        let first = try await recording.get("https://api.github.com/users?per_page=100")
        #expect(first.head.headerFields[.init("Link")!]?.contains("users?since=135>") == true)
        let second = try await recording.get("https://api.github.com/users?since=135")
        #expect(second.body.count > 50_000)
    }

    @Test("a recorded 304 and the answers after it are replayed in order")
    func conditions() async throws {
        let recording = try Recording.open(sharedRecordings + "/conditional_requests_304.har")
        let url = "https://api.github.com/repos/akfish/PyGithub"
        let first = try await recording.get(url)
        let tag = try #require(first.head.headerFields[.eTag])
        #expect(try await recording.get(url, [.ifNoneMatch: tag]).status == 304)
        let third = try await recording.get(url, [.ifNoneMatch: tag])
        #expect(third.status == 200)
        #expect(third.head.headerFields[.eTag] != tag)
        #expect(
            try await Recording.open(sharedRecordings + "/conditional_requests_304.har").get(url).status
                == 200)
    }

    @Test("forms distinguish the Slack calls")
    func forms() async throws {
        let recording = try Recording.open(sharedRecordings + "/slack_users_list.har")
        let first = try await recording.post("https://slack.com/api/users.list", "limit=100&token=x")
        let second = try await recording.post("https://slack.com/api/users.list", "token=x&presence=true")
        #expect(first != second)
    }
}
