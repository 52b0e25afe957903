internal import CPlatform
internal import PatchbaySystem

/// The terminal of standard input in a mode that delivers every key at once, without echo.
///
/// Every signal that ends or stops the process, except SIGKILL, restores the terminal first.
package enum RawTerminal {
    /// How a command uses the terminal.
    package enum Mode {
        /// The alternate screen; all keys are input, Ctrl-C included. A byte is written to the descriptor `wake` when
        /// the size changes or the process is continued.
        case screen(wake: Int32)
        /// A line below the output on standard error. Ctrl-C ends the process as usual, and Ctrl-Z has no effect.
        case line
    }

    /// The signals that end a process and can be caught.
    private static let ends = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
    ]
    private static let enteringText: StaticString = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l"
    // Cleared first, because tmux wraps the lines of a screen that has grown since, and keeps some of them.
    private static let leavingText: StaticString =
        "\u{1B}[0m\u{1B}[H\u{1B}[J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    private static let erasingText: StaticString = "\r\u{1B}[K"

    // Written before the handlers are set, or while the program has the terminal. A handler may read them at any moment
    // and sees the old or the new value.
    // In memory of its own, because the compiler reserves 57 of the structure's 60 bytes for a static variable, and
    // tcgetattr(3) would overwrite the variable that follows.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    nonisolated(unsafe) private static var isScreen = false
    nonisolated(unsafe) private static var isEntered = false
    nonisolated(unsafe) private static var isContinued = false
    nonisolated(unsafe) private static var wakeDescriptor: Int32 = -1

    /// Puts the terminal of standard input and output into a mode.
    ///
    /// - Returns: whether the mode could be set; false if standard input is not a terminal.
    package static func enter(_ mode: Mode) -> Bool {
        if case .screen(let wake) = mode {
            unsafe isScreen = true
            unsafe wakeDescriptor = wake
        }
        _ = unsafe (enteringText.utf8Start, leavingText.utf8Start, erasingText.utf8Start)
        guard take() else { return false }
        for number in ends { Signal.handle(number) { RawTerminal.end($0) } }
        guard unsafe isScreen else { return true }
        Signal.handle(SIGCONT) { _ in
            unsafe RawTerminal.isContinued = true
            RawTerminal.signalWake()
        }
        Signal.handle(SIGWINCH) { _ in RawTerminal.signalWake() }
        return true
    }

    /// Enters the screen again if the process was continued after a stop, and returns whether it did.
    ///
    /// - Parameter isLate: whether the stop should have happened by now; some processes cannot be stopped.
    static func takeAgain(isLate: Bool) -> Bool {
        guard unsafe isLeft && (isContinued || isLate) else { return false }
        unsafe isContinued = false
        return take()
    }

    private static func take() -> Bool {
        guard unsafe !isEntered else { return true }
        guard unsafe tcgetattr(0, saved) == 0 else { return false }
        var raw = unsafe saved.pointee
        if unsafe isScreen {
            unsafe cfmakeraw(&raw)
            raw.c_oflag = unsafe saved.pointee.c_oflag
        } else {
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
            unsafe withUnsafeMutableBytes(of: &raw.c_cc) { keys in
                // The indexes are below the number of control characters (NCCS).
                unsafe keys[Int(VMIN)] = 1
                unsafe keys[Int(VTIME)] = 0
                unsafe keys[Int(VSUSP)] = 0
            }
        }
        guard unsafe tcsetattr(0, TCSANOW, &raw) == 0 else { return false }
        unsafe isEntered = true
        guard unsafe isScreen else { return true }
        emit(enteringText)
        Signal.handle(SIGTSTP) { RawTerminal.end($0) }
        return true
    }

    /// Whether the terminal has been restored, for example because the process was stopped.
    static var isLeft: Bool { unsafe !isEntered }

    /// Restores the terminal; uses only async-signal-safe calls.
    package static func leave() {
        guard unsafe isEntered else { return }
        unsafe isEntered = false
        emit(unsafe isScreen ? leavingText : erasingText)
        _ = unsafe tcsetattr(0, TCSANOW, saved)
    }

    /// Restores the terminal and the signal handlers.
    package static func end() {
        leave()
        for number in ends + [SIGTSTP, SIGCONT, SIGWINCH] { Signal.restore(number) }
    }

    /// Restores the terminal and stops the process like Ctrl-Z elsewhere. The stop happens shortly after the call.
    package static func stop() {
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

    private static func signalWake() {
        let error = errno
        var byte: UInt8 = 0
        // A full pipe wakes the browser, too.
        _ = unsafe write(wakeDescriptor, &byte, 1)
        errno = error
    }

    private static func emit(_ text: StaticString) {
        let descriptor: Int32 = unsafe isScreen ? 1 : 2
        guard isatty(descriptor) == 1 else { return }
        // A failure cannot be reported anywhere.
        _ = unsafe write(descriptor, text.utf8Start, text.utf8CodeUnitCount)
    }
}
