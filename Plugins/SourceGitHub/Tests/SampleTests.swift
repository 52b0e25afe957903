import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("the bundled sample")
struct SampleTests {
    private let feed: any ResourceFeed

    init() throws {
        let recording = try Recording.open(packageRoot + "/Recordings/sample.har")
        feed = gitHubFeed(recording, "https://api.github.example.org")
    }

    @Test("lists 104 users on four pages, then ends")
    func list() async throws {
        var pages: [ItemPage] = []
        repeat {
            let fetched = try await feed.page(.users(), next: pages.last?.next)
            pages.append(try #require(fetched.value))
            #expect(fetched.validator?.entityTag != nil)
        } while pages.last?.next != nil
        #expect(pages.map(\.items.count) == [30, 30, 30, 14])
        let all = try pages.flatMap { try $0.decoded(as: User.self) }
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
        let admins = ["Marlow-Quern", "iskra-tumannaya", "Bramwick4", "Pelle-Sjobrand", "hollis-wexmoor"]
        #expect(all.filter { $0.isSiteAdmin == true }.map(\.login) == admins)
        let details = pages.flatMap(\.items).filter { $0.knowsDetail }
        #expect(details.isEmpty)
    }

    @Test("shows a user, and confirms it as unchanged")
    func show() async throws {
        let fetched = try await feed.user("Marlow-Quern")
        let user = try #require(try fetched.value?.decoded(as: User.self))
        #expect(user.id == 900_000_017)
        #expect(user.createdAt != nil)
        let validator = try #require(fetched.validator)
        #expect(try await feed.user("Marlow-Quern", ifChangedFrom: validator).isUnchanged)
    }

    @Test("a user that was recorded twice is changed the second time")
    func changed() async throws {
        let first = try await feed.user("Ottoline-Brack")
        let before = try #require(first.value), validator = try #require(first.validator)
        let after = try #require(
            try await feed.user("Ottoline-Brack", ifChangedFrom: validator).value)
        #expect(before.key == after.key)
        #expect(before != after)
    }

    @Test("missing, renamed and unrecorded users differ")
    func others() async {
        let missing = await fault { try await feed.user("nobody-at-quernwick") }
        #expect(missing?.code == .notFound)
        let renamed = await fault { try await feed.user("Tessaline-Oldmoor") }
        #expect(renamed?.code == .invalidResponse)
        let unrecorded = await fault { try await feed.user("Marlow-Qern") }
        #expect(unrecorded?.code == .unsupported)
        #expect(unrecorded?.message.contains("https://api.github.example.org/users/Marlow-Quern") == true)
    }
}
