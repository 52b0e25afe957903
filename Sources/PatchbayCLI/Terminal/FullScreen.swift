internal import CPlatform

/// Full-screen mode of the terminal: no echo, every key at once, the alternate screen.
///
/// Every signal that ends or stops the process, except SIGKILL, restores the terminal first.
enum FullScreen {
    /// The signals that end a process and can be caught.
    private static let ends = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
    ]
    private static let enteringText: StaticString = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l"
    // Cleared first, because tmux wraps the lines of a screen that has grown since, and keeps some of them.
    private static let leavingText: StaticString =
        "\u{1B}[0m\u{1B}[H\u{1B}[J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    // Written before the handlers are set, or while the program has the terminal. A handler may read them at any moment
    // and sees the old or the new value.
    nonisolated(unsafe) private static var saved = termios()
    nonisolated(unsafe) private static var isEntered = false
    nonisolated(unsafe) private static var isContinued = false
    nonisolated(unsafe) private static var wakeDescriptor: Int32 = -1

    /// Puts the terminal of standard input and output into full-screen mode.
    ///
    /// - Parameter wake: the descriptor to which a byte is written when the size changes or the process is continued.
    /// - Returns: whether the mode could be set.
    static func enter(wake: Int32) -> Bool {
        unsafe wakeDescriptor = wake
        _ = unsafe (enteringText.utf8Start, leavingText.utf8Start)
        guard take() else { return false }
        for number in ends { _ = signal(number) { FullScreen.end($0) } }
        _ = signal(SIGTSTP) { FullScreen.end($0) }
        _ = signal(SIGCONT) { _ in
            unsafe FullScreen.isContinued = true
            FullScreen.tellWake()
        }
        _ = signal(SIGWINCH) { _ in FullScreen.tellWake() }
        return true
    }

    /// Enters the mode again if the process was continued after a stop, and returns whether it did.
    ///
    /// - Parameter isLate: whether the stop should have happened by now; some processes cannot be stopped.
    static func takeAgain(isLate: Bool) -> Bool {
        guard unsafe isLeft && (isContinued || isLate) else { return false }
        unsafe isContinued = false
        return take()
    }

    private static func take() -> Bool {
        guard unsafe !isEntered else { return true }
        // The attributes are copied to memory that outlives the calls.
        guard unsafe tcgetattr(0, &saved) == 0 else { return false }
        var raw = unsafe saved
        unsafe cfmakeraw(&raw)
        raw.c_oflag = unsafe saved.c_oflag
        guard unsafe tcsetattr(0, TCSANOW, &raw) == 0 else { return false }
        unsafe isEntered = true
        tell(enteringText)
        _ = signal(SIGTSTP) { FullScreen.end($0) }
        return true
    }

    /// Whether the terminal has been restored, for example because the process was stopped.
    static var isLeft: Bool { unsafe !isEntered }

    /// Restores the terminal; uses only async-signal-safe calls.
    static func leave() {
        guard unsafe isEntered else { return }
        unsafe isEntered = false
        tell(leavingText)
        _ = unsafe tcsetattr(0, TCSANOW, &saved)
    }

    /// Restores the terminal and the signal handlers.
    static func end() {
        leave()
        for number in ends + [SIGTSTP, SIGCONT, SIGWINCH] { _ = signal(number, SIG_DFL) }
    }

    /// Restores the terminal and stops the process like Ctrl-Z elsewhere. The stop happens shortly after the call.
    static func stop() {
        leave()
        // Sent to the process, because the threads of a queue block signals.
        _ = kill(getpid(), SIGTSTP)
    }

    /// Restores the terminal, then lets the signal take its default action.
    private static func end(_ number: Int32) {
        let error = errno
        leave()
        _ = signal(number, SIG_DFL)
        _ = raise(number)
        errno = error
    }

    private static func tellWake() {
        let error = errno
        var byte: UInt8 = 0
        // A full pipe wakes the browser, too.
        _ = unsafe write(wakeDescriptor, &byte, 1)
        errno = error
    }

    private static func tell(_ text: StaticString) {
        // A failure cannot be reported anywhere.
        _ = unsafe write(1, text.utf8Start, text.utf8CodeUnitCount)
    }
}
