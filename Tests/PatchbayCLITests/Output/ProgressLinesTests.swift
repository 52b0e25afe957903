import PatchbayCore
import Synchronization
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Progress where no bar is drawn")
struct ProgressLinesTests {
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        let seconds = Mutex(0)
    }

    @Test("each task prints a line when it begins, then one every ten seconds")
    func lines() {
        let log = Log()
        let lines = ProgressLines(
            of: "rounds", write: { line in log.lines.withLock { $0.append(line) } },
            now: { .seconds(log.seconds.withLock { $0 }) })
        for (second, done) in [(0, 0), (4, 1), (9, 2), (10, 3), (19, 4), (20, 5)] {
            log.seconds.withLock { $0 = second }
            lines.show(WorkProgress("get-key, 1000 rows", done: done, of: 6))
        }
        lines.show(WorkProgress("scan, 1000 rows", done: 5))
        #expect(
            log.lines.withLock { $0 } == [
                "get-key, 1000 rows: 0 of 6 rounds", "get-key, 1000 rows: 3 of 6 rounds",
                "get-key, 1000 rows: 5 of 6 rounds", "scan, 1000 rows: 5 rounds",
            ])
    }
}
