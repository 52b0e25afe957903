import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Orders, of which one view has those of a customer.
@Suite("A resource with a view for each row of another one")
struct ViewsOfRowsTests {
    private static let definition = """
        api = shop
        base-url = https://shop.example.org
        customers.path = /customers
        customers.next = none
        customers.key = id
        customers.field.id = integer
        orders.path = /orders
        orders.path.customer = /customers/{customers.id}/orders
        orders.next = page page
        orders.key = id
        orders.field.id = integer
        orders.field.swap-ppc-override = text?
        orders.search = /search?q={text}
        orders.field.note = text?
        rows.path = /rows
        rows.next = none
        rows.key = id
        rows.field.id = integer
        """

    private func fixture() async throws -> ListFixture {
        try await ListFixture(definition: Self.definition) { request in
            switch request.path ?? "" {
            case "/customers": #"[{"id": 1}, {"id": 2}]"#
            case "/orders": #"[{"id": 10, "note": "a", "swap_ppc_override": "x"}]"#
            case "/customers/1/orders": #"[{"id": 10, "note": "a"}]"#
            case "/search?q=ten": #"[{"id": 10, "swap_ppc_override": "y"}]"#
            case let path where path.hasSuffix("page=2"): "[]"
            default: nil
            }
        }
    }

    @Test("syncs its main list once, and the view for each row")
    func sync() async throws {
        let fixture = try await fixture(), gateway = fixture.gateway
        let orders = try gateway.resource("orders")
        _ = await gateway.sync(try gateway.question(gateway.resource("customers"))).run()
        let (_, progress) = await gateway.sync(try gateway.question(orders)).run()
        #expect(progress.rows == 1)
        #expect(fixture.network.paths == ["/customers", "/orders", "/orders?page=2"])
        _ = await gateway.syncChildren(orders, list: "customer").run()
        #expect(fixture.network.paths.contains("/customers/2/orders"))
        let (end, _) = await gateway.syncChildren(orders).run()
        guard case .failed(let error) = end else {
            Issue.record("the main list belongs to no row")
            return
        }
        #expect(error.code == .unsupported)
        #expect(throws: PatchbayError.self) { try gateway.visibleChildren(orders) }
    }

    @Test("stores a field with the suffix of edits, and a search keeps the fields that its results lack")
    func fields() async throws {
        let fixture = try await fixture(), gateway = fixture.gateway
        let orders = try gateway.resource("orders"), question = try gateway.question(orders)
        _ = await gateway.sync(question).run()
        let found = try #require(
            await gateway.search(orders, "ten", policy: .refresh).ending.value)
        #expect(found.items.map { $0.text("note") } == ["a"])
        let stored = await gateway.list(question, limit: 10, policy: .localOnly).ending.value?.items.first
        #expect(stored?.text("swap_ppc_override") == "y")
        #expect(stored?.text("note") == "a")
    }

    @Test("is not complete while a list was read in part")
    func partialList() async throws {
        let fixture = try await fixture(), gateway = fixture.gateway
        let orders = try gateway.resource("orders")
        _ = await gateway.sync(try gateway.question(gateway.resource("customers"))).run()
        let view = try gateway.question(orders, list: "customer", arguments: ["1"])
        _ = await gateway.list(view, limit: 1, policy: .refresh).ending
        var ages = try await gateway.store.read { try $0.listAges(of: orders) }
        #expect(ages.finished == 0 && ages.partialNames == ["customer 1"])
        _ = await gateway.sync(view).run()
        ages = try await gateway.store.read { try $0.listAges(of: orders) }
        #expect(ages.isComplete)
        // A whole list has all rows, whatever was read besides.
        _ = await gateway.list(
            try gateway.question(orders, list: "customer", arguments: ["2"]), limit: 1, policy: .refresh
        ).ending
        _ = await gateway.sync(try gateway.question(orders)).run()
        #expect(try await gateway.store.read { try $0.listAges(of: orders) }.isComplete)
    }
}
