import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Filters and orders of the browser")
struct BrowserFilterTests {
    @Test("/ filters after each key, and Enter keeps the rows until Escape returns to the place in the list")
    func filter() {
        var bench = BrowserBench.listing()
        bench.press(.pageDown, .pageDown, .up)
        let list = bench.text
        _ = bench.wanted()
        bench.press(.text("/"))
        bench.type("ab")
        #expect(bench.wanted() == [.search("a"), .search("ab")])
        bench.handle(BrowserBench.found(800...803, .beginning("a")))
        #expect(!bench.text.contains("user-800"), "an answer to an older text is dropped")
        bench.handle(BrowserBench.found(900...903, .beginning("ab")))
        #expect(bench.text.contains("user-900") && bench.text.contains("begins with: ab"))
        bench.press(.down, .enter)
        #expect(bench.wanted().isEmpty && bench.selected == 901)
        #expect(bench.text.contains("4 stored users"))
        bench.press(.end, .down)
        #expect(bench.wanted().isEmpty && bench.selected == 903)
        bench.press(.escape)
        #expect(bench.text == list)
    }

    @Test("Escape and an empty text end a filter; Enter before the answer waits for it")
    func unfinishedFilter() {
        var bench = BrowserBench.listing()
        bench.press(.down)
        let list = bench.text
        bench.press(.text("/"), .text("a"))
        bench.handle(BrowserBench.found(900...903, .beginning("a")))
        bench.press(.backspace)
        #expect(bench.text.contains("user-2 ") && !bench.text.contains("user-900"))
        bench.press(.text("b"), .escape)
        bench.handle(BrowserBench.found(900...903, .beginning("b")))
        #expect(bench.text == list)
        bench.press(.text("/"), .enter)
        #expect(bench.text == list)
        _ = bench.wanted()
        bench.press(.text("/"), .text("c"), .enter)
        #expect(bench.wanted() == [.search("c"), .search("c")])
        bench.handle(BrowserBench.found(900...903, .beginning("c")))
        #expect(bench.selected == 900)
        bench.press(.text("g"), .text("7"), .enter)
        #expect(bench.browser.found == nil && bench.browser.left.isEmpty)
    }

    @Test("s shows the stored rows in the next order, and after the last one the list as it was left")
    func sort() {
        var bench = BrowserBench.listing()
        bench.press(.down, .down)
        let list = bench.text, orders = bench.browser.orders
        #expect(orders.map(\.words) == ["id ↓", "login ↑", "login ↓", "name ↑", "name ↓"])
        for order in orders {
            bench.press(.text("s"))
            #expect(bench.wanted() == [.sort(order, .all, limit: 1_000)])
            bench.handle(BrowserBench.found(100...150, .order(order)))
            #expect(bench.selected == 100 && bench.text.contains(" · by \(order.words) · "))
        }
        bench.press(.text("s"))
        #expect(bench.text == list && bench.wanted().isEmpty)
    }

    @Test("a filter of a sorted list returns to it, and it returns to the list of the source")
    func filterOfOrder() {
        var bench = BrowserBench.listing()
        bench.press(.down, .text("s"))
        let order = bench.browser.orders[0]
        bench.handle(BrowserBench.found(100...150, .order(order)))
        bench.press(.down, .text("/"), .text("a"))
        bench.handle(BrowserBench.found(900...903, .beginning("a")))
        bench.press(.escape)
        #expect(bench.selected == 101 && bench.text.contains("by id ↓"))
        bench.press(.escape)
        #expect(bench.selected == 2 && bench.browser.found == nil)
    }

    @Test("a sorted list reads more rows near its end, and keys pressed meanwhile take effect")
    func longOrder() {
        var bench = BrowserBench.listing()
        bench.press(.text("s"))
        let order = bench.browser.orders[0]
        bench.handle(BrowserBench.found(1...1_000, .order(order), isComplete: false))
        _ = bench.wanted()
        bench.press(.end, .pageDown, .pageDown)
        #expect(bench.wanted() == [.sort(order, .all, limit: 2_000)])
        bench.handle(BrowserBench.found(1...1_500, .order(order)))
        #expect(bench.selected == 1_038 && bench.text.contains("1500 stored users"))
        bench.press(.end)
        #expect(bench.wanted().isEmpty)
    }

    @Test("a list that belongs to a row is sorted by the indexes that begin with the field its rows share")
    func ordersWithin() {
        var declaration = DeclaredSample.people
        declaration.within = "public_repos"
        declaration.indexes = [IndexDeclaration("by_time", [("public_repos", false), ("created_at", false)])]
        let orders = Resource.sample(declaration).orders(isWhole: false)
        #expect(orders.map(\.words) == ["created at ↑", "created at ↓", "id ↑", "id ↓"])
        #expect(orders[0].bounds(with: nil) == nil)
        #expect(BrowserBench.resource.orders(isWhole: false).isEmpty)
    }
}
