import CPlatform
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub

/// The root of the package.
let packageRoot = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

/// The folder of shared recordings: PATCHBAY_SHARED, or beside the checkout.
let sharedRecordings =
    unsafe (getenv("PATCHBAY_SHARED").map { unsafe String(cString: $0) } ?? packageRoot + "/../shared")
    + "/recordings"

/// Returns the feed of GitHub, or of another server with its API.
func gitHubFeed(
    _ networking: any Networking, _ baseURL: String = "https://api.github.com", fingerprint: String? = nil
) -> any ResourceFeed {
    let source = SourceAPI.github.open(networking, baseURL, fingerprint: fingerprint)
    guard let feed = source.feed else { preconditionFailure("GitHub's source has a feed") }
    return feed
}

extension Resource {
    static let users = bundled("users")
    static let repos = bundled("repos")
    static let commits = bundled("commits")

    static func bundled(_ name: String) -> Resource {
        guard let declaration = BundledDefinition.github.definition.resource(named: name) else {
            preconditionFailure("GitHub's definition has no \(name)")
        }
        do { return try Resource(declaration, api: "github") } catch { preconditionFailure("\(error)") }
    }
}

extension ListQuestion {
    static func users(after id: Int64 = 0) -> ListQuestion {
        var question = ListQuestion(.users)
        question.after = id
        return question
    }

    static func users(with text: String) -> ListQuestion { ListQuestion(.users, .search(text)) }

    static func repos(of login: String) -> ListQuestion { ListQuestion(.repos, arguments: [login]) }

    static func repos(ofOrganization login: String) -> ListQuestion {
        ListQuestion(.repos, .list("org"), arguments: [login])
    }

    static var publicRepos: ListQuestion { ListQuestion(.repos, .list("public")) }

    static func repos(with text: String) -> ListQuestion { ListQuestion(.repos, .search(text)) }

    /// Returns the question for commits of a stored repository with the id 1.
    static func commits(owner: String = "o", name: String = "n") throws -> ListQuestion {
        let row: ScriptedFeed.Row = ["id": .integer(1), "owner_login": .text(owner), "name": .text(name)]
        return ListQuestion(.commits, parent: try ScriptedFeed.item(row, of: .repos))
    }
}

extension ResourceFeed {
    func page(
        _ question: ListQuestion, next: String? = nil, ifChangedFrom validator: Validator = Validator()
    ) async throws -> Fetched<ItemPage> {
        try await page(ItemRequest(question, next: next), ifChangedFrom: validator)
    }

    func user(
        _ login: String, ifChangedFrom validator: Validator = Validator()
    ) async throws -> Fetched<Item> {
        try await item(login, of: .users, ifChangedFrom: validator)
    }

    func repo(_ fullName: String) async throws -> Fetched<Item> {
        try await item(fullName, of: .repos, ifChangedFrom: Validator())
    }
}

extension Fetched {
    /// The value of a changed answer.
    var value: Value? { if case .changed(let value, _) = self { value } else { nil } }

    /// The validator of a changed answer.
    var validator: Validator? { if case .changed(_, let validator) = self { validator } else { nil } }

    var isUnchanged: Bool { if case .unchanged = self { true } else { false } }
}

extension ItemPage {
    var ids: [Int64] { items.compactMap { $0.integer("id") } }

    /// Whether the page is empty and has no next page.
    var isEnd: Bool {
        items.isEmpty && next == nil && !isFull && pageCount == nil && total == nil && !isIncomplete
    }

    func decoded<StoredRecord: ResourceRecord>(as type: StoredRecord.Type) throws -> [StoredRecord] {
        try items.map { try $0.decoded(as: type) }
    }
}

extension Item {
    /// Whether the answer contained one of these fields.
    func knows(_ names: String...) -> Bool {
        names.contains { name in
            resource.fields.contains { $0.name == name && known.contains(position: $0.place) }
        }
    }

    /// Whether the answer contained a field that lists may leave out.
    var knowsDetail: Bool {
        resource.fields.contains { $0.declaration.isDetail && known.contains(position: $0.place) }
    }
}

/// The partition of answers with users to requests without credentials.
let partition = scope()

/// The partition of answers with users.
func scope(
    _ server: String = "https://api.github.com", token: String = "anonymous", version: String = "2022-11-28",
    definition: String = SourceAPI.github.definition.resource(named: "users")!.fingerprint
) -> String { "\(server) \(token) application/vnd.github+json \(version) \(definition)" }

extension ScriptedNetworking {
    /// The last request that was sent.
    var request: HTTPRequest? { sent.last }
}
