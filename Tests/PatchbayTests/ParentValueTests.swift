import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import Testing

@Suite("Values of a parent in the rows of its lists")
struct ParentValueTests {
    private static let definition = """
        api = x
        base-url = https://api.example.org
        shops.path = /shops
        shops.next = none
        shops.key = id
        shops.field.id = integer
        shops.field.name = text
        orders.path = /shops/{shops.id}/orders
        orders.next = none
        orders.key = shop id
        orders.field.shop = integer {shops.id}
        orders.field.shop-name = text {shops.name}
        orders.field.id = integer
        """

    @Test("a list is requested unconditionally once its parent has changed, and conditionally after that")
    func changedParent() async throws {
        let name = Mutex("A")
        let network = ScriptedNetworking { request, _, _ in
            let isShops = request.path == "/shops"
            let tag = isShops ? "\"\(name.withLock { $0 })\"" : "\"orders\""
            if request.headerFields[.ifNoneMatch] == tag { return Response(304, [("ETag", tag)], "") }
            let shops = #"[{"id": 1, "name": "\#(name.withLock { $0 })"}]"#
            return Response(200, [("ETag", tag)], isShops ? shops : #"[{"id": 7}]"#)
        }
        let gateway = try await Gateway.scripted(Self.definition, over: network)
        func sync() async throws -> [Bool] {
            let sent = network.sent.count
            _ = await gateway.sync(try gateway.question(gateway.resource("shops")), from: .theBeginning).run()
            _ = await gateway.syncChildren(try gateway.resource("orders"), from: .theBeginning).run()
            return network.sent.dropFirst(sent).map { $0.headerFields[.ifNoneMatch] != nil }
        }
        #expect(try await sync() == [false, false])
        #expect(try await sync() == [true, true])
        name.withLock { $0 = "B" }
        #expect(try await sync() == [true, false])
        let orders = try gateway.question(gateway.resource("orders"), arguments: ["1"])
        let stored = await gateway.list(orders, policy: .localOnly).ending.value
        #expect(stored?.items.map { $0.text("shop_name") } == ["B"])
        #expect(try await sync() == [true, true])
    }
}
