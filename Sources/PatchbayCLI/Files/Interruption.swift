#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import Synchronization

/// What Ctrl-C leaves on the terminal: the progress line wiped away, and a last word.
///
/// The process then ends by the signal, so that its shell sees status 130 and ends a loop around it as well. Nothing
/// else has to be cleaned up: whatever a command does to a storage stands a kill at any moment.
enum Interruption {
    /// Says what holds after an interruption of what comes now; on one line.
    static func explain(_ consequence: StaticString) {
        unsafe message = consequence
        _ = signal(SIGINT) { number in
            // Only what a signal handler may do: no memory is taken, and static texts outlive the calls.
            if isatty(2) == 1 { Interruption.tell("\r\u{1B}[K") }
            Interruption.tell("patchbay: interrupted; ")
            unsafe Interruption.tell(Interruption.message)
            Interruption.tell("\n")
            _ = signal(number, SIG_DFL)
            _ = raise(number)
        }
    }

    /// Lets the first Ctrl-C, request to end or closing of the terminal only be noted, for a command that comes to an
    /// end by itself then; a second one ends it at once.
    static func note() { note([SIGINT, SIGTERM, SIGHUP]) }

    /// The same for Ctrl-C alone.
    static func noteKey() { note([SIGINT]) }

    /// Lets Ctrl-C only be noted, however often it comes: a pager takes it as one of its keys.
    static func outliveKey() {
        noted.store(0, ordering: .relaxed)
        // An atomic store takes no lock.
        _ = signal(SIGINT) { Interruption.noted.store($0, ordering: .relaxed) }
    }

    /// Lets Ctrl-C end the process again, with the last word that it had before.
    static func forgetKey() {
        if Pager.isRunning { return }
        _ = signal(SIGINT, SIG_DFL)
        if unsafe message.utf8CodeUnitCount > 0 { unsafe explain(message) }
    }

    private static func note(_ numbers: [Int32]) {
        if Pager.isRunning { return }
        // Makes the variable, which a handler must not.
        noted.store(0, ordering: .relaxed)
        for number in numbers {
            _ = signal(number) { number in
                // An atomic store takes no lock.
                Interruption.noted.store(number, ordering: .relaxed)
                _ = signal(number, SIG_DFL)
            }
        }
    }

    static var isNoted: Bool { noted.load(ordering: .relaxed) != 0 }

    /// A command that was interrupted, and has printed what it has, throws it; the process then ends by the signal.
    struct Noted: Error {}

    /// Ends the process by the signal that was noted, so that its shell sees it.
    static func end() -> Never {
        let number = noted.load(ordering: .relaxed)
        if unsafe message.utf8CodeUnitCount > 0 {
            tell("patchbay: interrupted; ")
            unsafe tell(message)
            tell("\n")
        }
        _ = signal(number, SIG_DFL)
        // To the process, because this thread may be one that takes no signals.
        _ = kill(getpid(), number)
        _ = sleep(1)
        exit(128 + number)
    }

    private static let noted = Atomic<Int32>(0)

    private static func tell(_ text: StaticString) {
        // Nobody is left to be told when it cannot be written.
        _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Written before the handler is set, and read only by it.
    nonisolated(unsafe) private static var message: StaticString = ""
}
