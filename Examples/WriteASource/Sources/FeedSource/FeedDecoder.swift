import FoundationEssentials
import Patchbay

/// Decodes the feed's JSON into items.
struct FeedDecoder {
    let resource: Resource

    func items(_ body: [UInt8]) throws -> [Item] {
        try decoding([User].self, body) { users in
            guard users.count <= UserFeed.pageRows else {
                throw PatchbayError(.invalidResponse, "there are more users than a page has")
            }
            return try users.map(item)
        }
    }

    func item(_ body: [UInt8]) throws -> Item { try decoding(User.self, body, item) }

    private struct User: Decodable {
        var id: Int64
        var login: String
        var name: String?
    }

    private func item(_ user: User) throws -> Item {
        var builder = ItemBuilder()
        builder.begin(resource)
        let values: [(String, ItemValue?)] = [
            ("id", .integer(user.id)), ("login", .text(user.login)), ("name", user.name.map { .text($0) }),
        ]
        for (name, value) in values {
            // The list does not contain names; a stored name is kept.
            if let value, let field = resource.field(named: name) { builder.set(field, value) }
        }
        return try builder.finish()
    }

    /// - Throws: `invalidResponse` for anything but JSON as the feed publishes it, and for values that cannot be stored.
    private func decoding<Users: Decodable, Result>(
        _ type: Users.Type, _ body: [UInt8], _ use: (Users) throws -> Result
    ) throws -> Result {
        do {
            return try use(JSONDecoder().decode(type, from: Data(body)))
        } catch {
            let problem = (error as? PatchbayError)?.message ?? "\(error)"
            throw PatchbayError(.invalidResponse, "the answer is not a feed of users: \(problem)")
        }
    }
}
