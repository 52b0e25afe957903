import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("The pictures of users")
struct ShowAvatarTests {
    private static let url = "https://avatars.example.org/u/1"
    private let picture = Avatar(bytes: [0x89, 0x50, 0x4E, 0x47, 0, 0xFF], mediaType: "image/png")
    private let script: ScriptedSource
    private let gateway: Gateway

    init() async throws {
        var users = ScriptedUserSource.users(1...3)
        users[0].avatarURL = Self.url
        script = ScriptedSource(users: users, avatars: [Self.url: picture])
        gateway = try await Gateway(
            storage: MemoryStorage(), source: script.source, clock: ManualClock().layerClock)
    }

    @Test("a picture is fetched once, kept with its bytes, and then only validated")
    func validated() async throws {
        #expect(await gateway.showAvatar("user-1").all.map(\.outcome.word) == ["fresh"])
        let again = await gateway.showAvatar("USER-1").all
        #expect(again.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(again.map(\.value?.avatar) == [picture, picture])
        #expect(script.requests == ["user user-1", "picture \(Self.url)", "picture \(Self.url) if changed"])
        #expect(await gateway.showAvatar("user-1", policy: .localOnly).all.last?.value?.avatar == picture)
        #expect(script.requests.count == 3)
    }

    @Test("a picture at another address is asked for without a condition")
    func moved() async throws {
        _ = await gateway.showAvatar("user-1").ending
        script.users.change { $0[0].avatarURL = Self.url + "?v=2" }
        script.avatars.change { $0[Self.url + "?v=2"] = Avatar(bytes: [1], mediaType: "image/gif") }
        _ = await gateway.showUser("user-1").ending
        #expect(await gateway.showAvatar("user-1").ending.value?.avatar.mediaType == "image/gif")
        #expect(script.requests.last == "picture \(Self.url)?v=2")
    }

    @Test("what is no picture, or too large, is not kept; one of the limit is")
    func refused() async throws {
        let max = StoredAvatar.bytesMax
        let cases = [
            (Avatar(bytes: [1], mediaType: "text/html"), false),
            (Avatar(bytes: [], mediaType: "image/png"), false),
            (Avatar(bytes: Array(repeating: 7, count: max + 1), mediaType: "image/png"), false),
            (Avatar(bytes: Array(repeating: 7, count: max), mediaType: "image/png"), true),
        ]
        for (avatar, isKept) in cases {
            script.avatars.change { $0[Self.url] = avatar }
            let answer = await gateway.showAvatar("user-1").ending
            #expect(answer.outcome.word == (isKept ? "fresh" : "failed: invalid response"))
            #expect((answer.value != nil) == isKept)
        }
    }

    @Test("a user without a picture is told; a failure serves what is stored")
    func failures() async throws {
        #expect(await gateway.showAvatar("user-2").ending.outcome.word == "failed: not found")
        _ = await gateway.showAvatar("user-1").ending
        script.fail(with: PatchbayError(.offline, "no network"))
        let answer = await gateway.showAvatar("user-1").ending
        #expect(answer.outcome.word == "failed: offline" && answer.value?.avatar == picture)
    }

    @Test("a clear takes the pictures along")
    func cleared() async throws {
        _ = await gateway.showAvatar("user-1").ending
        try await gateway.clearUsers()
        #expect(try await gateway.store.read { try $0.count(Query(StoredAvatar.collection)) } == 0)
    }
}
