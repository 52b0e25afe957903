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

    @Test("a clear names the resources whose rows belong to the removed ones, and stay")
    func clearedParents() async throws {
        let network = ScriptedNetworking(200, [], #"[{"id": 1, "name": "A"}]"#)
        let gateway = try await Gateway.scripted(Self.definition, over: network)
        _ = await gateway.syncAll().run()
        let (shops, orders) = (try gateway.resource("shops"), try gateway.resource("orders"))
        #expect(try await gateway.clear(shops).children == ["orders"])
        #expect(try await gateway.clear(orders).children == [])
        #expect(try await gateway.clear(shops).children == [])
    }

    @Test("a row that moves to another parent does not take the other rows of that one with it")
    func movedRow() async throws {
        let hasMoved = Mutex(false)
        let network = ScriptedNetworking { request, _, _ in
            func rows(_ shop: Int, _ ids: [Int]) -> String {
                "[\(ids.map { #"{"id": \#($0), "shop": \#(shop)}"# }.joined(separator: ","))]"
            }
            let hasMoved = hasMoved.withLock { $0 }
            return switch request.path {
            case "/shops": Response(200, [], hasMoved ? #"[{"id": 2}]"# : #"[{"id": 1}, {"id": 2}]"#)
            case "/shops/1/orders" where !hasMoved: Response(200, [], rows(1, [7, 8]))
            case "/shops/2/orders": Response(200, [], rows(2, hasMoved ? [7, 20, 21] : [20, 21]))
            default: Response(404, [], "{}")
            }
        }
        let definition = """
            api = x
            base-url = https://api.example.org
            shops.path = /shops
            shops.next = none
            shops.key = id
            shops.field.id = integer
            orders.path = /shops/{shops.id}/orders
            orders.next = none
            orders.key = id
            orders.key-scope = api
            orders.within = shop
            orders.field.id = integer
            orders.field.shop = integer
            """
        let gateway = try await Gateway.scripted(definition, over: network)
        let orders = try gateway.resource("orders")
        _ = await gateway.syncAll().run()
        hasMoved.withLock { $0 = true }
        for _ in 1...3 { _ = await gateway.syncAll().run() }
        let listed = try await gateway.store.read { reading in
            try reading.listedItems(Query(orders.collection), of: orders, limit: 10).map(\.keyText)
        }
        #expect(Set(listed).isSuperset(of: ["7", "20", "21"]), "\(listed)")
    }

    @Test("the rows of a gone parent are gone although another one has its handle, if they have its key")
    func takenHandle() async throws {
        let isLater = Mutex(false)
        let network = ScriptedNetworking { request, _, _ in
            let isLater = isLater.withLock { $0 }
            return request.path == "/repos"
                ? Response(200, [], #"[{"id": \#(isLater ? 9 : 1), "name": "web"}]"#)
                : Response(200, [], #"[{"number": \#(isLater ? 3 : 1)}]"#)
        }
        let definition = """
            api = x
            base-url = https://api.example.org
            repos.path = /repos
            repos.next = none
            repos.key = id
            repos.field.id = integer
            repos.field.name = text
            issues.path = /repos/{repos.name}/issues
            issues.next = none
            issues.key = repo number
            issues.field.repo = integer {repos.id}
            issues.field.number = integer
            """
        let gateway = try await Gateway.scripted(definition, over: network)
        let issues = try gateway.resource("issues")
        _ = await gateway.syncAll().run()
        isLater.withLock { $0 = true }
        for _ in 1...2 { _ = await gateway.syncAll(from: .theBeginning).run() }
        let listed = try await gateway.store.read { reading in
            try reading.listedItems(Query(issues.collection), of: issues, limit: 10).map(\.keyText)
        }
        #expect(listed == ["9/3"])
    }

    @Test("an emptied list does not take the rows that another list has returned since it lacked them")
    func emptiedList() async throws {
        let owners = Mutex([1: "a", 2: "a", 3: "b", 4: "b"])
        let network = ScriptedNetworking { request, _, _ in
            let owner = request.path?.last.map(String.init) ?? ""
            let rows = owners.withLock { $0.filter { $0.value == owner }.keys.sorted() }
            let texts = rows.map { #"{"id": \#($0), "owner": "\#(owner)"}"# }
            return Response(200, [], "[\(texts.joined(separator: ","))]")
        }
        let definition = """
            api = x
            base-url = https://api.example.org
            repos.path = /repos?owner={owner}
            repos.next = none
            repos.key = id
            repos.key-scope = api
            repos.within = owner
            repos.field.id = integer
            repos.field.owner = text
            """
        let gateway = try await Gateway.scripted(definition, over: network)
        let repos = try gateway.resource("repos")
        for owner in ["a", "b"] { _ = await (try gateway.sync("repos", owner)).run() }
        owners.withLock { $0 = [1: "b", 3: "b", 4: "b"] }
        for owner in ["a", "b", "a", "a"] { _ = await (try gateway.sync("repos", owner)).run() }
        let listed = try await gateway.store.read { reading in
            try reading.listedItems(Query(repos.collection), of: repos, limit: 10).map(\.keyText)
        }
        #expect(listed == ["1", "3", "4"])
    }

    @Test("a parent that is gone does not take the rows of a listed one whose list has the same address")
    func sharedAddress() async throws {
        let isGone = Mutex(false)
        let network = ScriptedNetworking { request, _, _ in
            let second = isGone.withLock { $0 } ? "" : #", {"id": 3, "login": "ann"}"#
            return request.path == "/people"
                ? Response(200, [], #"[{"id": 1, "login": "ann"}\#(second)]"#)
                : Response(200, [], #"[{"id": 10, "owner": "ann"}]"#)
        }
        let definition = """
            api = x
            base-url = https://api.example.org
            people.path = /people
            people.next = none
            people.key = id
            people.field.id = integer
            people.field.login = text
            pets.path = /people/{people.login}/pets
            pets.next = none
            pets.key = id
            pets.key-scope = api
            pets.within = owner
            pets.field.id = integer
            pets.field.owner = text
            """
        let gateway = try await Gateway.scripted(definition, over: network)
        let pets = try gateway.resource("pets")
        _ = await gateway.syncAll().run()
        isGone.withLock { $0 = true }
        for (start, gone) in [(.whereItStopped, 1), (.theBeginning, 0)] as [(SyncStart, Int64)] {
            let (end, progress) = await gateway.syncAll(from: start).run()
            let isComplete = if case .complete = end { true } else { false }
            #expect(isComplete && progress.changes.gone == gone)
            let listed = try await gateway.store.read { reading in
                try reading.listedItems(Query(pets.collection), of: pets, limit: 10).map(\.keyText)
            }
            #expect(listed == ["10"])
        }
    }
}
