import PatchbayPlugins
import TestSupport
import Testing

// snippet: record
struct Member: ResourceRecord {
    static let resource = "users"

    let id: Int64
    let login: String
    let name: String?
    let isStaff: Bool?
    let createdAt: Timestamp?

    enum CodingKeys: String, CodingKey {
        case id, login, name, createdAt
        case isStaff = "site_admin"
    }
}
// end

@Suite("Snippets of Rows as your own types")
struct YourOwnTypes {
    @Test("rows are read as a struct of the program")
    func records() async throws {
        let recordings = ["PATCHBAY_RECORDINGS": Checkout.path("Recordings")]
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(
                flags: [.init("storage", "memory", name: "test")], environment: recordings))
        // snippet: record answers
        let members = try await gateway.list(Member.self, limit: 20).ending.value ?? []
        for member in members { print(member.login, member.name ?? "(name not fetched)") }

        let shown = try await gateway.show(Member.self, "Marlow-Quern").ending
        if case .failed(let error) = shown.outcome { print(error) }
        print(shown.value?.createdAt?.description ?? "unknown")
        // end
        #expect(members.count == 20)
        #expect(shown.value?.name == "Marlow Quernwick")
        #expect(shown.value?.isStaff == true)
        #expect(shown.value?.createdAt == Timestamp("2014-01-15T14:12:35Z"))
        // snippet: record of an item
        let users = try gateway.resource("users")
        let found = await gateway.search(users, "marlow").ending
        let matches = try found.value?.items.map { try $0.decoded(as: Member.self) } ?? []
        // end
        #expect(matches.contains { $0.login == "Marlow-Quern" })
        try await gateway.close()
    }
}
