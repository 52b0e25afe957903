internal import PatchbayCore
import PatchbaySystem
internal import Synchronization

/// A program that shows rows on the terminal screen by screen, such as `less`.
///
/// While it runs, the terminal belongs to it: messages are kept until it ends, and nothing is drawn. Ctrl-C does not
/// end this process, because the shell and the pager would then read from the same terminal.
package enum Pager {
    private struct Running {
        let program: ChildProcess
        let stream: StandardStream
        var messages: [String] = []
    }

    private static let running = Mutex(Running?.none)
    private static let started = Atomic(false)

    package static var isRunning: Bool { running.withLock { $0 != nil } }

    /// Whether a pager was started.
    package static var hasRun: Bool { started.load(ordering: .relaxed) }

    /// Whether the user has quit the pager.
    static var isLeft: Bool {
        running.withLock { $0.map { Descriptor.isReaderGone($0.stream.descriptor) } ?? false }
    }

    /// Starts the pager that the environment chooses.
    ///
    /// - Returns: false if no pager is wanted or it cannot be started. A failure is reported if a variable chose the
    ///   pager.
    package static func start() -> Bool {
        guard !Interruption.isNoted, let choice = PagerChoice(environment: ProcessEnvironment.variables)
        else {
            return false
        }
        guard let pipe = ProcessPipe() else { return false }
        defer { Descriptor.close(pipe.reading) }
        // Before the pager starts, because its user may press Ctrl-C at once.
        let endOnKey = Interruption.outliveKey()
        do {
            let program = try ChildProcess(
                choice.words, environment: choice.environment, input: pipe.reading, output: 1, errors: 2)
            running.withLock {
                $0 = Running(program: program, stream: StandardStream(descriptor: pipe.writing))
            }
        } catch {
            endOnKey()
            Descriptor.close(pipe.writing)
            if let variable = choice.variable {
                Message.write(
                    "the pager \"\(choice.words.joined(separator: " "))\" (\(variable)) \(error.words); "
                        + "set \(variable) to another pager, or to nothing")
            }
            return false
        }
        started.store(true, ordering: .relaxed)
        return true
    }

    /// - Throws: ``BrokenPipe`` when the user has quit the pager.
    package static func write(_ bytes: [UInt8]) throws {
        // Outside the lock, because a pager accepts bytes only as fast as people read.
        try running.withLock { $0?.stream }?.write(bytes)
    }

    /// Keeps a message until the pager has ended; returns false if none is running.
    package static func holds(_ message: String) -> Bool {
        running.withLock { running in
            running?.messages.append(message)
            return running != nil
        }
    }

    /// Waits until the user has quit the pager, then writes the messages that were kept.
    package static func finish() {
        guard let (program, stream) = running.withLock({ $0.map { ($0.program, $0.stream) } }) else { return }
        Descriptor.close(stream.descriptor)
        program.wait()
        let messages = running.withLock { running in
            defer { running = nil }
            return running?.messages ?? []
        }
        if !Interruption.isNoted { Interruption.forgetKey() }
        for message in messages { Message.write(message) }
    }
}

/// The pager that the environment chooses: `PATCHBAY_PAGER`, else `PAGER`, else `less`.
struct PagerChoice: Equatable {
    /// The program and its arguments, which are not interpreted by a shell.
    let words: [String]
    /// The variable that names it; nil for the default pager.
    let variable: String?
    /// The environment of the program. It makes `less` pass colours through and exit at once if the rows fit, unless
    /// `LESS` is set.
    let environment: [String: String]

    /// Returns nil if no pager is wanted, because the variable is empty or `cat`.
    init?(environment: [String: String]) {
        variable = ["PATCHBAY_PAGER", "PAGER"].first { environment[$0] != nil }
        words =
            variable.flatMap { environment[$0] }.map { $0.split(separator: " ").map(String.init) }
            ?? ["less", "-FRX"]
        self.environment = environment.merging(["LESS": "FRX"]) { set, _ in set }
        if words.isEmpty || words == ["cat"] { return nil }
    }
}
