import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The keys of the browser")
struct BrowserTests {
    @Test("near the end of the loaded rows the browser requests more, once")
    func later() {
        var bench = BrowserBench.listing()
        for _ in 0..<37 { bench.press(.down) }
        #expect(bench.selected == 38 && bench.wanted().isEmpty)
        bench.press(.down)
        #expect(bench.wanted() == [.next(19)])
        bench.press(.down, .pageDown)
        #expect(bench.wanted().isEmpty)
        bench.show(BrowserBench.users(20...76), hasEarlier: true)
        // One screen down from row 40, of which the window had only 17 rows.
        #expect(bench.selected == 59)
        #expect(bench.text.contains(">   59  user-59"))
    }

    @Test("near the start the browser requests earlier rows and keeps the selected user on its line")
    func earlier() {
        var bench = BrowserBench()
        bench.show(BrowserBench.users(58...114), hasEarlier: true)
        #expect(bench.wanted().isEmpty)
        bench.press(.up)
        #expect(bench.wanted() == [.previous(19)])
        bench.press(.down)
        let line = bench.browser.selectedRow! - bench.browser.top
        bench.show(BrowserBench.users(39...95), hasEarlier: true)
        #expect(bench.selected == 59)
        #expect(bench.browser.selectedRow! - bench.browser.top == line)
    }

    @Test("keys pressed at the edge of the window take effect once its rows have arrived", arguments: [1, 3])
    func edge(_ screens: Int) {
        var bench = BrowserBench()
        bench.show(BrowserBench.users(500...556), hasEarlier: true)
        _ = bench.wanted()
        for _ in 0..<screens { bench.press(.pageUp) }
        bench.press(.up)
        let target = 500 - Int64(screens * 19 + 1)
        var start: Int64 = 500
        while bench.wanted() == [.previous(19)] {
            start -= 19
            bench.show(BrowserBench.users(start...start + 94), hasEarlier: start > 400)
        }
        #expect(bench.selected == target)
        bench.press(.home)
        _ = bench.wanted()
        bench.show(BrowserBench.users(1...57))
        bench.press(.up, .pageUp)
        #expect(bench.selected == 1 && bench.browser.pending == 0 && bench.wanted().isEmpty)
    }

    @Test("keys pressed before the first rows arrive take effect then, as far as the list goes")
    func early() {
        var bench = BrowserBench()
        for _ in 0..<8 { bench.press(.pageDown) }
        bench.press(.up)
        #expect(bench.wanted().isEmpty)
        bench.show(BrowserBench.users(1...57))
        var end: Int64 = 57
        while bench.wanted() == [.next(19)], end < 400 {
            end += 19
            bench.show(BrowserBench.users(max(1, end - 94)...end), hasEarlier: end > 95)
        }
        #expect(bench.selected == 152)
        bench = BrowserBench()
        bench.press(.pageDown)
        bench.show([], list: .endOfSource)
        #expect(bench.browser.pending == 0 && bench.wanted().isEmpty)
    }

    @Test("keys pressed at an edge without further rows are forgotten")
    func nothingBehind() {
        var bench = BrowserBench.listing()
        bench.press(.end)
        bench.show(BrowserBench.users(1...57))
        _ = bench.wanted()
        bench.press(.down, .pageDown)
        #expect(bench.wanted() == [.next(19)])
        bench.show(BrowserBench.users(1...57), list: .endOfSource)
        #expect(bench.selected == 57 && bench.browser.pending == 0 && bench.wanted().isEmpty)
    }

    @Test(
        "r refreshes the rows around the selected user up to the gaps, and follows the user out of the window"
    )
    func refreshAcrossGaps() {
        var bench = BrowserBench()
        let users = BrowserBench.users(1...20) + BrowserBench.users(61...80) + BrowserBench.users(200...216)
        bench.show(users, gaps: [61, 200])
        _ = bench.wanted()
        for (id, after, limit) in [(3, 0, 20), (61, 60, 20), (75, 60, 20), (216, 199, 17)]
            as [(Int64, Int64, Int)]
        {
            bench.browser.select(bench.browser.window?.items.first { $0.item.order == id })
            bench.press(.text("r"))
            #expect(bench.wanted() == [.refresh(from: ListPosition(after + 1), limit: limit)])
            bench.handle(.answered)
        }
        // Rows that were added in the gap have pushed the selected user out.
        bench.show(BrowserBench.users(1...95), isMove: false)
        #expect(bench.wanted() == [.jump(ListPosition(216))] && bench.selected == 216)
        bench.show(BrowserBench.users(200...294), hasEarlier: true)
        #expect(bench.selected == 216)
    }

    @Test("g to an id that cannot be fetched keeps the list and the selection, and shows the whole error")
    func failedGoTo() {
        var bench = BrowserBench.listing()
        bench.press(.down, .down, .text("g"))
        bench.type("9000")
        bench.press(.enter)
        #expect(bench.wanted() == [.jump(ListPosition(9_000))])
        let words = (1...30).map { "word\($0)" }.joined(separator: " ")
        let error = PatchbayError(.offline, "the server could not be reached: \(words); try again later")
        bench.show(BrowserBench.users(1...57), list: .failed(retryAt: nil), error: error)
        #expect(bench.selected == 3)
        #expect(bench.text.contains(">    3  user-3") || bench.text.contains(">   3  user-3"))
        #expect(bench.text.contains("word1 ") && bench.text.contains("word30; try again later"))
        bench.press(.end)
        bench.show(BrowserBench.users(1...57), error: error)
        #expect(bench.text.contains(">   57  user-57"))
    }

    @Test("a stretch that was never fetched is marked in the list, and its ids are shown")
    func gapMarks() {
        var bench = BrowserBench()
        bench.show(BrowserBench.users(131...135) + BrowserBench.users(5_004...5_010), gaps: [5_004])
        #expect(bench.text.contains("~^5004  user-5004"))
        #expect(bench.text.contains("131–5010 · 136–5003 not fetched · more"))
    }

    @Test("after a failure, only moving past the end sends another request")
    func failure() {
        var bench = BrowserBench.listing()
        bench.press(.end)
        #expect(bench.wanted() == [.jumpToEnd])
        let error = PatchbayError(.offline, "no network")
        bench.show(BrowserBench.users(1...57), list: .failed(retryAt: nil), error: error)
        #expect(bench.selected == 57 && bench.wanted().isEmpty)
        bench.press(.up, .down)
        #expect(bench.wanted().isEmpty)
        bench.press(.down)
        #expect(bench.wanted() == [.next(19)])
        #expect(bench.text.contains("press r to retry: no network"))
        bench.show(BrowserBench.users(1...57), list: .failed(retryAt: nil), error: error)
        bench.press(.text("r"))
        #expect(bench.wanted() == [.next(19)])
    }

    @Test("Home and End select the first and the last user once the window has moved")
    func ends() {
        var bench = BrowserBench.listing()
        bench.press(.pageDown, .home)
        #expect(bench.wanted() == [.jumpToStart])
        bench.show(BrowserBench.users(1...57))
        #expect(bench.selected == 1)
        bench.press(.end)
        bench.show(BrowserBench.users(940...996), hasEarlier: true, list: .endOfSource)
        #expect(bench.selected == 996 && bench.browser.top == 38)
        #expect(bench.text.contains("978–996 · the end of the list"))
    }

    @Test("a jump is not ended by a movement that finished just before it")
    func overtaken() {
        var bench = BrowserBench.listing()
        for _ in 0..<38 { bench.press(.down) }
        #expect(bench.wanted() == [.next(19)])
        bench.press(.text("g"))
        bench.type("5000")
        bench.press(.enter)
        #expect(bench.wanted() == [.jump(ListPosition(5_000))])
        bench.handle(.moved(by: .next(19)))
        #expect(bench.wanted().isEmpty && bench.browser.isMoving)
        bench.show(BrowserBench.users(5_000...5_056), hasEarlier: true)
        #expect(bench.selected == 5_000)
    }

    @Test("g goes to an id and refuses anything else")
    func goTo() {
        var bench = BrowserBench.listing()
        bench.press(.text("g"))
        bench.type("500000000")
        bench.press(.enter)
        #expect(bench.wanted() == [.jump(ListPosition(500_000_000))])
        bench.show(BrowserBench.users(500_000_001...500_000_057))
        #expect(bench.selected == 500_000_001)
        for text in ["abc", "0", "-4", "99999999999999999999"] {
            bench.press(.text("g"))
            bench.type(text)
            bench.press(.enter)
            #expect(bench.wanted().isEmpty)
            #expect(bench.text.contains("\"\(text)\" is not an id"))
        }
    }

    @Test("a user without details is fetched, one with details is shown as stored")
    func detail() {
        var bench = BrowserBench.listing()
        bench.press(.enter)
        #expect(bench.wanted() == [.show("user-1", .localOnly)])
        bench.press(.escape, .down, .down, .enter)
        #expect(bench.wanted() == [.show("user-3", .localFirst)])
        #expect(bench.text.contains("fetching…") && bench.text.contains("no details of this user"))
        let full = BrowserBench.user(3, hasDetail: true, name: "Full Name")
        bench.handle(.detail(full, isEnding: true))
        #expect(bench.text.contains("Full Name") && !bench.text.contains("fetching…"))
        // An answer about another user arrives too late.
        bench.handle(.detail(BrowserBench.users(1...1)[0], isEnding: true))
        #expect(bench.text.contains("user-3"))
        bench.press(.text("r"))
        #expect(bench.wanted() == [.show("user-3", .remoteFirst)])
        bench.press(.left)
        #expect(bench.browser.view == .list && bench.selected == 3)
    }

    @Test("an edited name is saved as typed; an empty one reverts, and Escape cancels")
    func edit() {
        var bench = BrowserBench.listing()
        bench.press(.text("e"), .control("U"))
        bench.type("大輔é🦀")
        bench.press(.text("x"), .backspace, .enter)
        #expect(bench.wanted() == [.edit("user-1", field: "name", text: "大輔é🦀")])
        bench.press(.text("e"), .control("U"), .enter)
        #expect(bench.wanted() == [.revert("user-1", field: "name")])
        bench.press(.text("e"), .text("q"), .escape)
        #expect(bench.wanted().isEmpty && bench.browser.prompt == nil)
    }

    @Test("the input line has a maximum length")
    func longLine() {
        var bench = BrowserBench.listing()
        bench.press(.text("/"))
        for _ in 0..<2_000 { bench.press(.text("語")) }
        #expect(bench.browser.input.utf8.count <= Browser.inputBytesMax)
        #expect(bench.text.contains("login or name begins with: "))
    }

    @Test("f marks and unmarks a favourite")
    func favourite() {
        var bench = BrowserBench.listing()
        bench.press(.text("f"))
        bench.handle(.favourite(.integer(1), true))
        #expect(bench.text.contains(">*   1  user-1") || bench.text.contains(">*  1  user-1"))
        bench.press(.text("f"))
        #expect(bench.wanted() == [.favourite("user-1", true), .favourite("user-1", false)])
    }

    @Test("q, Ctrl-C, Ctrl-Z and Ctrl-L have their usual effects, Ctrl-C also during input")
    func control() {
        var bench = BrowserBench.listing()
        bench.press(.control("Z"), .control("L"), .text("?"), .text("x"), .text("g"), .control("C"))
        #expect(bench.wanted() == [.suspend, .repaint, .quit])
        bench.press(.escape, .text("q"))
        #expect(bench.wanted() == [.quit])
    }

    @Test("an older state of the window does not replace a newer one")
    func order() {
        var bench = BrowserBench.listing()
        var old = bench.browser.window!
        bench.show(BrowserBench.users(100...150))
        old.number = 0
        bench.handle(.window(old, favourites: []))
        #expect(bench.browser.rows.first?.order == 100)
    }

    @Test("any keys, answers and sizes leave a state that can be displayed", arguments: [nil, 5])
    func anything(_ ring: Int?) {
        var random = SeededGenerator.fromEnvironment()
        var bench = BrowserBench(ring: ring, children: ring == nil ? nil : DeclaredSample.changes)
        let keys: [BrowserKey] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .backspace, .delete,
            .text("g"), .text("/"), .text("e"), .text("f"), .text("r"), .text("?"), .text("7"), .text("語"),
            .text("s"),
        ]
        for step in 0..<3_000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                let columns = Int.random(in: 1...130, using: &random)
                bench.handle(
                    .resized(ScreenSize(columns: columns, rows: Int.random(in: 1...50, using: &random))))
            case 1:
                let start = Int64.random(in: 1...2_000, using: &random)
                let count =
                    ring == nil ? .random(in: 0...90, using: &random) : Int64(bench.browser.windowSize - 1)
                bench.show(
                    BrowserBench.users(start...start + count), hasEarlier: true, isRing: ring != nil)
            case 2: bench.show([])
            case 3:
                if let subject = bench.browser.subject {
                    bench.handle(BrowserBench.found(1 ... .random(in: 1...90, using: &random), subject))
                }
            default: bench.press(keys.randomElement(using: &random)!)
            }
            let screen = bench.browser.screen(at: BrowserBench.now)
            let (browser, size) = (bench.browser, bench.browser.size)
            #expect(screen.lines.count == size.rows, "seed \(random.seed), step \(step)")
            if let row = browser.selectedRow {
                #expect(
                    browser.top <= row && row < browser.top + browser.listHeight,
                    "seed \(random.seed), step \(step)")
            }
        }
    }
}
