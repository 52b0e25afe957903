import CPlatform
import PatchbayCore
import Synchronization
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The line about a wait")
struct WaitLineTests {
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        let time = Mutex(Duration.zero)
    }

    private let log = Log()

    /// Runs a wait line, on a terminal or not, and returns the drawn lines; permanent lines go to the log.
    private func drawn(isTerminal: Bool, _ body: (WaitLine, _ wait: (Int) -> Void) -> Void) -> [String] {
        var ends: [Int32] = [0, 0]
        unsafe #expect(pipe(&ends) == 0)
        let now: @Sendable () -> Duration = { [log] in log.time.withLock { $0 } }
        let bar = ProgressBar(
            StandardStream(descriptor: ends[1]),
            terminal: { Terminal(isTerminal: isTerminal, columns: 100) { _ in nil } }, now: now)
        let line = WaitLine(
            bar: bar, write: { [log] line in log.lines.withLock { $0.append(line) } }, now: now)
        body(line) { seconds in
            log.time.withLock { $0 += .seconds(seconds) }
            line.tick()
        }
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 60_000)
        let count = unsafe read(ends[0], &bytes, bytes.count)
        close(ends[0])
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\r").map {
            String($0).replacing("\u{1B}[K", with: "")
        }
    }

    private let question = WaitLine.Question(
        source: "api.example.org", shown: nil, consequence: "shows stored data")

    @Test("a quick answer prints nothing; a slow one prints one line where redrawing is impossible")
    func lines() {
        let drawn = drawn(isTerminal: false) { line, wait in
            line.begin(question)
            wait(0)
            #expect(log.lines.withLock { $0.isEmpty })
            wait(1)
            wait(5)
            line.end()
        }
        #expect(drawn.isEmpty)
        #expect(
            log.lines.withLock { $0 } == [
                "waiting for api.example.org for 1 s; Ctrl-C shows stored data"
            ])
    }

    @Test("on a terminal the line counts seconds after the shown summary, and is erased at the end")
    func terminal() {
        let drawn = drawn(isTerminal: true) { line, wait in
            line.begin(question)
            line.show("5 users, stored 3 s ago", consequence: "stops waiting")
            wait(0)
            wait(1)
            wait(1)
            line.end()
            wait(1)
        }
        #expect(
            drawn == [
                "5 users, stored 3 s ago; querying api.example.org",
                "5 users, stored 3 s ago; querying api.example.org, 1 s; Ctrl-C stops waiting",
                "5 users, stored 3 s ago; querying api.example.org, 2 s; Ctrl-C stops waiting", "",
            ])
        #expect(log.lines.withLock { $0.isEmpty })
    }

    @Test("a wait for a rate limit counts down on a terminal and is erased")
    func countdown() {
        let drawn = drawn(isTerminal: true) { line, wait in
            line.limited(RateLimitWait(server: "api.example.org", duration: .seconds(3)))
            for _ in 0..<4 { wait(1) }
        }
        let end = " s for the rate limit of api.example.org; Ctrl-C stops, stored rows are kept"
        #expect(drawn == ["waiting 3" + end, "waiting 2" + end, "waiting 1" + end, ""])
    }

    @Test(
        "in a pipe, short waits print no line, simultaneous ones print one, and a later one prints another")
    func limits() {
        _ = drawn(isTerminal: false) { line, wait in
            for _ in 0..<3 {
                line.limited(RateLimitWait(server: "a", duration: .milliseconds(4_900)))
                wait(6)
            }
            for _ in 0..<4 { line.limited(RateLimitWait(server: "a", duration: .milliseconds(42_500))) }
            wait(43)
            line.limited(RateLimitWait(server: "a", duration: .seconds(7)))
        }
        let end = " s for the rate limit of a; Ctrl-C stops, stored rows are kept"
        #expect(log.lines.withLock { $0 } == ["waiting 43" + end, "waiting 7" + end])
    }
}
