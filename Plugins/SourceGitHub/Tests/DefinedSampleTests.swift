import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("by definition: the bundled sample")
struct DefinedSampleTests {
    private let users: any UserSource

    init() throws {
        let recording = try Recording.open(packageRoot + "/Recordings/sample.har")
        users = DefinedUsers(networking: recording, baseURL: "https://api.github.example.org")
    }

    @Test("lists 104 users on four pages, then ends")
    func list() async throws {
        var request = UserPageRequest.after(0)
        var sizes: [Int] = []
        var all: [User] = []
        while true {
            guard
                case .changed(let page, let validator) = try await users.users(
                    request, ifChangedFrom: Validator())
            else { break }
            #expect(validator.entityTag != nil)
            sizes.append(page.users.count)
            all += page.users
            guard let next = page.next else { break }
            request = .next(next)
        }
        #expect(sizes == [30, 30, 30, 14])
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
        let admins = ["Marlow-Quern", "iskra-tumannaya", "Bramwick4", "Pelle-Sjobrand", "hollis-wexmoor"]
        #expect(all.filter(\.isSiteAdmin).map(\.login) == admins)
        #expect(all.allSatisfy { $0.detail == nil })
    }

    @Test("shows a user, and says unchanged to who has it")
    func show() async throws {
        let fetched = try await users.user("Marlow-Quern", ifChangedFrom: Validator())
        guard case .changed(let user, let validator) = fetched else {
            return #expect(Bool(false), "unchanged")
        }
        #expect(user.id == 900_000_017)
        #expect(user.detail?.createdAt != nil)
        guard case .unchanged = try await users.user("Marlow-Quern", ifChangedFrom: validator) else {
            return #expect(Bool(false), "the user is not unchanged")
        }
    }

    @Test("a user that was recorded twice has changed the second time")
    func changed() async throws {
        let first = try await users.user("Ottoline-Brack", ifChangedFrom: Validator())
        guard case .changed(let before, let validator) = first else {
            return #expect(Bool(false), "unchanged")
        }
        let second = try await users.user("Ottoline-Brack", ifChangedFrom: validator)
        guard case .changed(let after, _) = second else { return #expect(Bool(false), "unchanged") }
        #expect(before.id == after.id)
        #expect(before != after)
    }

    @Test("missing, renamed and unrecorded users differ")
    func others() async {
        let missing = await fault { try await users.user("nobody-at-quernwick", ifChangedFrom: Validator()) }
        #expect(missing?.code == .notFound)
        let renamed = await fault { try await users.user("Tessaline-Oldmoor", ifChangedFrom: Validator()) }
        #expect(renamed?.code == .invalidResponse)
        let unrecorded = await fault { try await users.user("Marlow-Qern", ifChangedFrom: Validator()) }
        #expect(unrecorded?.code == .unsupported)
        #expect(unrecorded?.message.contains("https://api.github.example.org/users/Marlow-Quern") == true)
    }
}
