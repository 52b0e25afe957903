import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Pages that the source confirms")
struct ConfirmedPagesTests {
    private func sync(_ fixture: ResourceFixture, _ name: String) async throws {
        fixture.clock.advance(by: .seconds(1))
        let gateway = try await fixture.gateway()
        let question = name == "people" ? try gateway.people() : try gateway.projects()
        #expect(await gateway.sync(question, from: .theBeginning).run().0.word == "complete")
    }

    /// Fetches the first row at its own address.
    private func show(_ fixture: ResourceFixture, _ name: String) async throws {
        fixture.clock.advance(by: .seconds(1))
        let gateway = try await fixture.gateway(), details = try gateway.details(of: gateway.resource(name))
        let handle = try #require(await fixture.stored(name).first).handle
        let known = try await gateway.store.read { try $0.item(called: handle, of: details.resource) }
        _ = try? await details.refresh(handle, known: known, isConditional: true)
    }

    private func lastList(_ fixture: ResourceFixture) -> String? {
        fixture.requests.last { !$0.hasPrefix("person ") && !$0.hasPrefix("project ") }
    }

    @Test(
        "a page is requested again if another answer has changed a row since",
        arguments: ["people", "projects"])
    func changedRow(_ name: String) async throws {
        let fixture = try await ResourceFixture(people: 1...5, projects: 1...5)
        let field = name == "people" ? "login" : "full_name"
        try await sync(fixture, name)
        // Details are in no list.
        try await show(fixture, name)
        try await sync(fixture, name)
        #expect(lastList(fixture)?.hasSuffix(" if changed") == true, "\(fixture.requests)")
        let original = try #require(await fixture.stored(name).first)
        let row = try #require(original[field])
        fixture.feed.change(name) { $0[0][field] = .text("\(row)".uppercased()) }
        try await show(fixture, name)
        #expect(try await fixture.stored(name).first?[field] != row)
        fixture.feed.change(name) { $0[0][field] = row }
        try await sync(fixture, name)
        #expect(lastList(fixture)?.hasSuffix(" if changed") == false, "\(fixture.requests)")
        #expect(try await fixture.stored(name).first?[field] == row)
        // The list has replaced what the row's own address returned.
        try await show(fixture, name)
        #expect(fixture.requests.last?.hasSuffix(" if changed") == false, "\(fixture.requests)")
        try await sync(fixture, name)
        #expect(lastList(fixture)?.hasSuffix(" if changed") == true, "\(fixture.requests)")
    }

    @Test("a plan counts only the pages that can be confirmed; an edit changes nothing at the source")
    func plan() async throws {
        let fixture = try await ResourceFixture(people: 1...50)
        try await sync(fixture, "people")
        let conditional = { try await fixture.gateway().sync(fixture.gateway.people()).plan().conditional }
        let all = try await conditional()
        try await fixture.gateway.edit("user-1", name: "Another")
        #expect(try await conditional() == all)
        fixture.feed.change("people") { $0[0]["login"] = .text("USER-1") }
        try await show(fixture, "people")
        #expect(try await conditional() == all - 1)
    }

    @Test("a page from which rows may be missing is requested again")
    func incomplete() async throws {
        let fixture = try await ResourceFixture(people: 1...5, projects: 1...5)
        for name in ["people", "projects"] {
            try await sync(fixture, name)
            let requests = fixture.requests.count
            try await fixture.gateway.store.write { writing in
                for var page in try writing.reading.list(
                    StoredListPage.self, Query(StoredListPage.collection))
                {
                    page.incomplete = Shortfall(.end, "a row is missing").stored
                    try writing.put(page)
                }
                for var page in try writing.reading.list(
                    StoredListStretch.self, Query(StoredListStretch.collection))
                {
                    page.incomplete = Shortfall(.end, "a row is missing").stored
                    try writing.put(page)
                }
            }
            try await sync(fixture, name)
            #expect(fixture.requests.count == requests + 1)
            #expect(lastList(fixture)?.hasSuffix(" if changed") == false, "\(fixture.requests)")
        }
    }
}
