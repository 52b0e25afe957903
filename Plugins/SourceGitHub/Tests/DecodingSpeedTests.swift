import PatchbayTestKit
import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceGitHub
import Testing

/// Measures decoding of a page compared with Foundation's decoder on the same bytes. It never fails because of the
/// time. Run it in release mode:
///
///     PATCHBAY_BENCH=1 swift test -c release -Xswiftc -enable-testing --filter DecodingSpeedTests
@Suite(
    "the speed of decoding", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["PATCHBAY_BENCH"] != nil, "PATCHBAY_BENCH is not set"))
struct DecodingSpeedTests {
    /// The stored fields of a list row.
    private struct Row: Codable {
        var id: Int64
        var login, node_id, avatar_url, gravatar_id, url, html_url, type: String
        var user_view_type: String?
        var site_admin: Bool
    }

    /// A page in GitHub's format, with 1.2 kB per user.
    private static let page: [UInt8] = {
        let users = (1...100).map { number in
            let login = "user-name-\(number)", url = "https://api.github.com/users/\(login)"
            return """
                {"login":"\(login)","id":\(number),"node_id":"MDQ6VXNlcj\(number)==","avatar_url":\
                "https://avatars.githubusercontent.com/u/\(number)?v=4","gravatar_id":"","url":"\(url)",\
                "html_url":"https://github.com/\(login)","followers_url":"\(url)/followers",\
                "following_url":"\(url)/following{/other_user}","gists_url":"\(url)/gists{/gist_id}",\
                "starred_url":"\(url)/starred{/owner}{/repo}","subscriptions_url":"\(url)/subscriptions",\
                "organizations_url":"\(url)/orgs","repos_url":"\(url)/repos","events_url":"\(url)/events{/privacy}",\
                "received_events_url":"\(url)/received_events","type":"User","user_view_type":"public",\
                "site_admin":false}
                """
        }
        return Array("[\(users.joined(separator: ","))]".utf8)
    }()

    @Test("a page of 100 users, compared with JSONDecoder")
    func users() async throws {
        let networking = ScriptedNetworking(200, [], String(decoding: Self.page, as: UTF8.self))
        let feed = gitHubFeed(networking)
        let data = Data(Self.page)
        let decoder = JSONDecoder()
        var ours: [Duration] = [], theirs: [Duration] = []
        // Alternating, so that a busy machine slows both.
        for _ in 0..<2000 {
            let start = ContinuousClock.now
            let fetched = try await feed.page(.users())
            let middle = ContinuousClock.now
            let rows = try decoder.decode([Row].self, from: data)
            theirs.append(middle.duration(to: .now))
            ours.append(start.duration(to: middle))
            #expect(fetched.value?.items.compactMap { $0.text("login") } == rows.map(\.login))
        }
        let (quick, slow) = (median(ours), median(theirs))
        print(
            "\(Self.page.count) bytes, 100 users: \(quick / 100) a user, JSONDecoder \(slow / 100) a user,",
            "\((slow / quick * 10).rounded() / 10) times as fast; best \(ours.min()!) and \(theirs.min()!)")
    }

    private func median(_ durations: [Duration]) -> Duration { durations.sorted()[durations.count / 2] }
}
