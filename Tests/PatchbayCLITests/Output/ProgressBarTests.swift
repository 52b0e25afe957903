import CPlatform
import PatchbayCore
import Synchronization
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The progress bar")
struct ProgressBarTests {
    /// Returns the output of a bar while `body` moves its clock.
    private func output(
        isTerminal: Bool = true, _ environment: [String: String] = [:],
        _ body: (ProgressBar, _ wait: (Int) -> Void) -> Void
    ) -> String {
        var ends: [Int32] = [0, 0]
        unsafe #expect(pipe(&ends) == 0)
        let time = Mutex(Duration.zero)
        let bar = ProgressBar(
            StandardStream(descriptor: ends[1]),
            terminal: { Terminal(isTerminal: isTerminal, columns: 100) { environment[$0] } },
            now: { time.withLock { $0 } })
        body(bar) { milliseconds in time.withLock { $0 += .milliseconds(milliseconds) } }
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 60_000)
        let count = unsafe read(ends[0], &bytes, bytes.count)
        close(ends[0])
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private let copying = WorkProgress("copying users", done: 370_000, of: 1_000_000)

    @Test(
        "the line shows task, progress, rate and remaining time; less on a narrow terminal",
        arguments: [
            (99, "copying users  [#######.............]  37 %  370000 of 1000000  185000/s  3 s left"),
            (75, "copying users  [#######.............]  37 %  370000 of 1000000  185000/s"),
            (50, "copying users  [#######.............]  37 %"), (20, "copying users"), (8, "copying…"),
            (0, ""),
        ])
    func line(_ width: Int, _ line: String) {
        #expect(ProgressBar.line(copying, doneHere: 370_000, in: .seconds(2), width: width) == line)
    }

    @Test(
        "unknown or odd values are left out",
        arguments: [
            (WorkProgress("importing users", done: 5_000), "importing users  5000  2500/s"),
            (WorkProgress("checking pages", done: 0, of: 0), "checking pages  0"),
            (
                WorkProgress("copying users", done: 7, of: 5),
                "copying users  [####################]  100 %  5 of 5  3/s  0 s left"
            ),
            (
                WorkProgress("a", done: 1, of: .max),
                "a  [....................]  0 %  1 of 9223372036854775807  277777 h left"
            ),
            (
                WorkProgress("a\u{1B}[2Jb", done: 1, of: 100_000),
                "a\\u{1B}[2Jb  [....................]  0 %  1 of 100000  55 h left"
            ),
        ])
    func odd(_ progress: WorkProgress, _ line: String) {
        #expect(ProgressBar.line(progress, doneHere: progress.done, in: .seconds(2), width: 99) == line)
    }

    @Test("quick work shows nothing")
    func quick() {
        let text = output { bar, wait in
            bar.show(copying)
            wait(299)
            bar.show(copying)
            bar.clear()
        }
        #expect(text == "")
    }

    @Test("a long task is drawn at most ten times a second and then erased")
    func long() {
        let text = output { bar, wait in
            for done in 0..<1_000 {
                bar.show(WorkProgress("copying users", done: done, of: 1_000))
                wait(10)
            }
            bar.clear()
            bar.clear()
        }
        let lines = text.split(separator: "\r")
        #expect((90...100).contains(lines.count), "\(lines.count)")
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("copying users  [") && $0.hasSuffix("\u{1B}[K") })
        #expect(lines.last == "\u{1B}[K")
    }

    @Test("a file and a dumb terminal get no bar; a bar needs no colours")
    func unwelcome() {
        for (isTerminal, environment, isDrawn) in [
            (false, [:], false), (true, ["TERM": "dumb"], false), (true, ["NO_COLOR": "1"], true),
        ] as [(Bool, [String: String], Bool)] {
            let text = output(isTerminal: isTerminal, environment) { bar, wait in
                bar.show(copying)
                wait(1_000)
                bar.show(copying)
                bar.clear()
            }
            #expect(text.contains("copying users") == isDrawn)
        }
    }

    @Test("the rate of a resumed task counts only the work of this run")
    func resumed() {
        let text = output { bar, wait in
            bar.show(WorkProgress("copying users", done: 900_000, of: 1_000_000))
            wait(1_000)
            bar.show(WorkProgress("copying users", done: 950_000, of: 1_000_000))
        }
        #expect(text.contains("950000 of 1000000  50000/s  1 s left"))
    }
}
