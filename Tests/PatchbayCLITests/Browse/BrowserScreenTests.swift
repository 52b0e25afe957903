import Foundation
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import TestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The screens of the browser")
struct BrowserScreenTests {
    private static let sizes = [(80, 24), (120, 40), (20, 5)]

    /// The events that lead to each screen.
    private static let scenes: [(String, @Sendable (inout BrowserBench) -> Void)] = [
        ("list", { $0.press(.down, .down) }),
        ("detail", { $0.press(.down, .enter) }),
        (
            "filtering",
            { bench in
                bench.press(.text("/"))
                bench.type("user-1")
                bench.handle(BrowserBench.found(10...12, .beginning("user-1")))
            }
        ),
        (
            "filtered",
            { bench in
                bench.press(.text("/"))
                bench.type("user-1")
                bench.press(.enter)
                bench.handle(
                    BrowserBench.found(
                        10...12, .beginning("user-1"), isComplete: false, favourites: [.integer(11)]))
            }
        ),
        (
            "sorted",
            { bench in
                bench.press(.text("s"), .text("s"))
                bench.handle(BrowserBench.found(1...30, .order(bench.browser.orders[1])))
            }
        ),
        ("edit", { $0.press(.end, .text("e"), .text("!")) }),
        ("help", { $0.press(.text("?")) }),
        ("empty", { $0.show([]) }),
        ("limit", { $0.show(BrowserBench.users(1...3), list: .limitReached(3)) }),
        (
            "refused",
            { bench in
                let error = PatchbayError(
                    .rateLimited, "the limit of requests is used up",
                    [.retryAt(Timestamp("2026-11-21T20:00:00Z")!)])
                bench.show(BrowserBench.users(1...60), list: .failed(retryAt: error.retryAt), error: error)
            }
        ),
        (
            "full",
            { bench in
                let error = PatchbayError(.storageFull, "the disk is full; free some space")
                bench.show(BrowserBench.users(1...3), list: .failed(retryAt: nil), error: error)
            }
        ),
    ]

    private func expect(_ text: String, is name: String) throws {
        #expect(
            try text == Checkout.golden("Tests/PatchbayCLITests/Golden/browse-\(name).txt", for: text),
            "\(name)")
    }

    @Test("every screen matches its golden file and fits", arguments: scenes.map(\.0))
    func golden(_ name: String) throws {
        let scene = try #require(Self.scenes.first { $0.0 == name })
        for (columns, rows) in Self.sizes {
            var bench = BrowserBench(columns: columns, rows: rows)
            bench.show(BrowserBench.users(1...60), favourites: [2, 4])
            scene.1(&bench)
            bench.browser.requests = 3
            let screen = bench.browser.screen(at: BrowserBench.now)
            #expect(screen.lines.count == rows)
            #expect(screen.lines.allSatisfy { TerminalText.width(of: $0.text) <= columns }, "\(name)")
            if columns > 20 { try expect(bench.text, is: "\(name)-\(columns)x\(rows)") }
        }
    }

    @Test("an offline browser reports that it is offline, and what to do")
    func offline() throws {
        var bench = BrowserBench(source: "no source (offline)", isOffline: true)
        bench.show([])
        bench.press(.text("r"))
        #expect(bench.wanted().isEmpty)
        try expect(bench.text, is: "offline-80x24")
    }

    @Test("no text from outside reaches the terminal as a control character, at any size")
    func harmless() {
        for columns in [20, 21, 33, 47, 70, 80, 200] {
            for rows in [4, 5, 9, 10, 24] {
                var bench = BrowserBench(columns: columns, rows: rows, source: "a\u{1B}[31m\u{9B}b\u{202E}")
                bench.show(BrowserBench.users(1...60))
                for key in [.enter, .escape, .text("e"), .escape, .text("/"), .text("\u{85}")] as [BrowserKey]
                {
                    bench.press(key)
                    let screen = bench.browser.screen(at: BrowserBench.now)
                    for line in screen.lines {
                        #expect(line.text == TerminalText.harmless(line.text))
                        #expect(TerminalText.width(of: line.text) <= columns)
                    }
                    #expect(screen.lines.count == rows)
                    #expect(screen.cursor.map { $0.column < columns && $0.row < rows } ?? true)
                }
            }
        }
    }

    @Test("a terminal that is too small gets a message")
    func tooSmall() {
        let bench = BrowserBench(columns: 10, rows: 2)
        #expect(bench.browser.screen(at: BrowserBench.now).lines.map(\.text) == ["too small", ""])
    }
}

@Suite("Painting screens")
struct ScreenPainterTests {
    @Test("only changed lines are sent, and nothing if none has changed")
    func changes() {
        var painter = ScreenPainter(allowsColour: true)
        var bench = BrowserBench()
        bench.show(BrowserBench.users(1...60))
        let first = painter.paint(bench.browser.screen(at: BrowserBench.now))
        #expect(first.contains("\u{1B}[24;1H\u{1B}[J"))
        #expect(painter.paint(bench.browser.screen(at: BrowserBench.now)).isEmpty)
        bench.press(.down)
        let second = painter.paint(bench.browser.screen(at: BrowserBench.now))
        #expect(second.matches(of: /\u{1B}\[\d+;1H/).count == 2)
        #expect(!second.contains("\u{1B}[J"))
        bench.handle(.resized(ScreenSize(columns: 80, rows: 30)))
        let third = painter.paint(bench.browser.screen(at: BrowserBench.now))
        #expect(third.contains("\u{1B}[30;1H\u{1B}[J"))
        #expect(third.matches(of: /\u{1B}\[\d+;1H\u{1B}\[K/).count == 30)
        // A terminal without an alternate screen scrolls a cleared screen into its history.
        #expect(!(first + third).contains("\u{1B}[2J"))
    }

    @Test("headings, marks, edits, badges, old rows, errors and the offline state have colours")
    func colours() {
        var painter = ScreenPainter(allowsColour: true)
        var bench = BrowserBench(columns: 120, isOffline: true)
        bench.show(
            BrowserBench.users(1...7) + BrowserBench.users(20...60), favourites: [2, 6], gaps: [20])
        bench.browser.note = Browser.Note(text: "no \u{1B}[35mnetwork", isError: true)
        let later = Timestamp(milliseconds: BrowserBench.now.milliseconds + 2 * 24 * 60 * 60 * 1_000)
        let screen = bench.browser.screen(at: later)
        let output = painter.paint(screen)
        let styled = [
            "[1m    id  login", "[7m>    1  user-1", "[33m*\u{1B}", "[36m~\u{1B}", "[36mEdited 6",
            "[2m^\u{1B}", "[33mSTAFF", "[1;31m no \\u{1B}[35mnetwork", "[7;33mstored 2 days ago",
            "[7;33moffline", "[2m ↑↓ move",
        ]
        for text in styled { #expect(output.contains("\u{1B}" + text), "\(text)") }
        #expect(!output.contains("\u{1B}[35m"))
        var plain = ScreenPainter(allowsColour: false)
        #expect(Paint.removed(from: plain.paint(screen)) == Paint.removed(from: output))
    }

    @Test("without colours no line is styled, but the selected user is still marked")
    func plain() {
        var painter = ScreenPainter(allowsColour: false)
        var bench = BrowserBench()
        bench.show(BrowserBench.users(1...60))
        let output = painter.paint(bench.browser.screen(at: BrowserBench.now))
        #expect(!output.contains("\u{1B}[7m") && !output.contains("\u{1B}[1m"))
        #expect(output.contains("\u{1B}[3;1H\u{1B}[K>"))
    }
}
