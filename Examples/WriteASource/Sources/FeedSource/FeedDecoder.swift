import FoundationEssentials
import Patchbay

/// Decodes the feed's JSON into items.
struct FeedDecoder {
    let resource: Resource

    func items(_ body: [UInt8]) throws -> [Item] {
        let users = try users([User].self, body)
        guard users.count <= UserFeed.pageRows else {
            throw notAFeed("there are more users than a page has")
        }
        return try users.map(item)
    }

    func item(_ body: [UInt8]) throws -> Item { try item(users(User.self, body)) }

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

    /// - Throws: `invalidResponse` for anything but JSON as the feed publishes it.
    private func users<Users: Decodable>(_ type: Users.Type, _ body: [UInt8]) throws -> Users {
        do { return try JSONDecoder().decode(type, from: Data(body)) } catch { throw notAFeed("\(error)") }
    }

    private func notAFeed(_ problem: String) -> PatchbayError {
        PatchbayError(.invalidResponse, "the answer is not a feed of users: \(problem)")
    }
}
