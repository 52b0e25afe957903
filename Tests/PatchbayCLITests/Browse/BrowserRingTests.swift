import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayCLI
@testable import PatchbayGateway
@testable import PatchbayTerminal

@Suite("A ring in the browser")
struct BrowserRingTests {
    /// A ring of three of many rows.
    private func bench(isRing: Bool = true) -> BrowserBench {
        var bench = BrowserBench(ring: 3)
        bench.show(BrowserBench.users(1...3), hasEarlier: isRing, isRing: isRing)
        _ = bench.wanted()
        return bench
    }

    @Test("it turns at its edges in both directions, and the selection stays at the edge")
    func turning() {
        var bench = bench()
        bench.press(.down, .down)
        #expect(bench.selected == 3 && bench.wanted().isEmpty)
        bench.press(.down)
        #expect(bench.wanted() == [.next(1)])
        bench.show(BrowserBench.users(2...4), isRing: true)
        #expect(bench.selected == 4)
        bench.press(.up, .up, .up)
        #expect(bench.wanted() == [.previous(1)])
        bench.show(BrowserBench.users(1...3), isRing: true)
        bench.press(.up)
        #expect(bench.wanted() == [.previous(1)])
        let users = BrowserBench.users(1...9)
        bench.show([users[8], users[0], users[1]], isRing: true)
        #expect(bench.selected == 9 && bench.wanted().isEmpty)
        bench.press(.pageDown)
        #expect(bench.wanted() == [.next(1)] && bench.text.contains("the first row follows the last"))
    }

    @Test("keys that are pressed while it turns take effect afterwards")
    func pending() {
        var bench = bench()
        bench.press(.down, .down, .down, .down, .down)
        #expect(bench.wanted() == [.next(1)])
        bench.show(BrowserBench.users(2...4), isRing: true)
        #expect(bench.wanted() == [.next(2)] && bench.selected == 4)
        bench.show(BrowserBench.users(4...6), isRing: true)
        #expect(bench.selected == 6 && bench.wanted().isEmpty)
    }

    @Test("before the whole list is stored it is open at the start, and says how to close it")
    func open() {
        var bench = bench(isRing: false)
        bench.press(.up, .up)
        #expect(bench.wanted() == [.previous(1)])
        bench.show(BrowserBench.users(1...3))
        #expect(bench.wanted().isEmpty && bench.selected == 1)
        #expect(bench.text.contains("the ring is open here"))
        bench.press(.down)
        #expect(!bench.text.contains("the ring is open here"))
    }

    @Test("End goes to the last row wherever it is on the screen")
    func end() {
        var bench = bench()
        bench.press(.end)
        let users = BrowserBench.users(1...9)
        bench.show([users[7], users[8], users[0]], isRing: true)
        #expect(bench.selected == 9)
    }

    @Test("a row has its newest child below it, or the reason why there is none, until it leaves")
    func children() {
        var bench = BrowserBench(rows: 14, ring: 9, children: DeclaredSample.changes)
        #expect(bench.browser.windowSize == 4)
        bench.show(BrowserBench.users(1...4), isRing: true)
        #expect(bench.text.split(separator: "fetching \(DeclaredSample.changes.plural)…").count == 5)
        #expect(bench.text.contains("room for 4 of 9 rows"))
        let failed = Answer<ItemList>(
            value: nil, age: nil, outcome: .failed(PatchbayError(.offline, "no route")))
        bench.handle(.children(.integer(2), failed))
        bench.handle(.children(.integer(77), failed))
        #expect(bench.text.split(separator: "(no route)").count == 2)
        bench.show(BrowserBench.users(3...6), isRing: true)
        #expect(!bench.text.contains("(no route)") && bench.browser.children?.answers.isEmpty == true)
        bench.handle(.resized(ScreenSize(columns: 80, rows: 40)))
        #expect(bench.wanted().contains(.resize(9)) && !bench.text.contains("room for"))
    }

    @Test("a filter shows a list that scrolls, and Escape returns to the ring")
    func filter() {
        var bench = bench()
        bench.press(.text("/"))
        bench.type("user")
        bench.handle(BrowserBench.found(1...30, .beginning("user")))
        bench.press(.enter, .down, .down, .down, .down)
        #expect(bench.selected == 5)
        bench.press(.escape, .down)
        #expect(bench.selected == 2)
    }
}
