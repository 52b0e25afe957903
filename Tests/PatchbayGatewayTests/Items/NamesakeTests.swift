import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A handle that several rows have")
struct NamesakeTests {
    private let fixture: ResourceFixture
    private let labels: Resource

    init() async throws {
        let list = ListDeclaration(nil, Template([.literal("/labels")]))
        var labels = ResourceDeclaration(
            "labels",
            fields: [
                FieldDeclaration("issue", .integer), FieldDeclaration("id", .integer),
                FieldDeclaration("name", .text), FieldDeclaration("note", .text),
            ],
            key: ["issue", "id"], lists: [list])
        labels.handle = HandleDeclaration("name")
        labels.editable = ["note"]
        let declaration = labels
        fixture = try await ResourceFixture(changing: { $0.resources = [declaration] })
        self.labels = try fixture.gateway.resource("labels")
    }

    private func put(_ labels: [(issue: Int64, id: Int64, name: String)]) async throws {
        let rows = labels.map {
            ["issue": ItemValue.integer($0.issue), "id": .integer($0.id), "name": .text($0.name)]
        }
        try await fixture.gateway.put(rows, in: "labels")
    }

    private func edited(_ handle: String) async throws -> String {
        try await fixture.gateway.edit(labels, handle, "note", to: "mine").value.keyText
    }

    private func error(_ body: () async throws -> Void) async -> PatchbayError? {
        await #expect(throws: PatchbayError.self) { try await body() }
    }

    @Test("is refused by changes, which name the keys, and a key names one of the rows")
    func changes() async throws {
        try await put([(1, 11, "bug"), (2, 12, "bug"), (3, 13, "idea")])
        let gateway = fixture.gateway
        for refused in await [
            error { _ = try await edited("bug") },
            error { _ = try await gateway.revert(labels, "bug") },
            error { _ = try await gateway.addFavourite(labels, "bug") },
        ] {
            #expect(refused?.code == .conflict)
            #expect(refused?.message == "2 labels are called \"bug\": 1/11, 2/12; name one by its key")
        }
        let note = try await gateway.namesakes(of: "BUG", labels)
        #expect(note == "2 labels are called \"BUG\": 1/11, 2/12; name one by its key")
        for handle in ["idea", "1/11", "none"] {
            #expect(try await gateway.namesakes(of: handle, labels) == nil)
        }
        #expect(try await edited("1/11") == "1/11")
        #expect(try await edited("2/12") == "2/12")
        #expect(try await edited("idea") == "3/13")
        #expect(await gateway.show(labels, "1/11", policy: .localOnly).ending.value?.keyText == "1/11")
        // Handles may look like keys of other rows, so a key names only rows that have no handle of their own.
        #expect(await error { _ = try await edited("3/13") }?.code == .notFound)
    }

    @Test("in another case does not hide the row that has it exactly, however many there are")
    func exactCase() async throws {
        try await put((1...30).map { ($0, $0, "LATER") } + [(31, 31, "later")])
        let shown = await fixture.gateway.show(labels, "later", policy: .localOnly).ending.value
        #expect(shown?.keyText == "31/31")
        #expect(try await edited("later") == "31/31")
        let refused = await error { _ = try await edited("Later") }
        #expect(
            refused?.message
                == "31 labels are called \"Later\": 1/1, 2/2, 3/3, 4/4, 5/5 and others; name one by its key")
    }

    @Test("names the only one of the rows that is a favourite")
    func favourites() async throws {
        try await put([(1, 11, "bug"), (2, 12, "bug")])
        let gateway = fixture.gateway
        try await gateway.addFavourite(labels, "1/11")
        #expect(try await gateway.removeFavourite(labels, "bug").row.text == "1/11")
        try await gateway.addFavourite(labels, "1/11")
        try await gateway.addFavourite(labels, "2/12")
        #expect(await error { _ = try await gateway.removeFavourite(labels, "bug") }?.code == .conflict)
        #expect(try await gateway.removeFavourite(labels, "2/12").row.text == "2/12")
        #expect(try await gateway.favourites(labels).count == 1)
    }
}
