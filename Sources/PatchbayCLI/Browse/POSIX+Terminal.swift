#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
import CPipe

/// The system calls on the terminal: the only file of the browser that calls C.
extension POSIX {
    /// The terminal's columns and rows; nil when it does not know.
    static func size(_ descriptor: Int32) -> ScreenSize? {
        var size = winsize()
        // The request fills a winsize, which outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// A pipe whose ends do not block.
    static func pipe() -> Result<(reading: Int32, writing: Int32), Failure> {
        var ends: [Int32] = [0, 0]
        guard systemPipe(&ends) == 0 else { return .failure(Failure(number: errno)) }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        return .success((ends[0], ends[1]))
    }

    /// Waits until one of two descriptors has bytes or its writer has gone, a signal comes or the time is over.
    static func wait(for first: Int32, or second: Int32, milliseconds: Int32) -> (first: Bool, second: Bool) {
        var requests = [
            pollfd(fd: first, events: Int16(POLLIN), revents: 0),
            pollfd(fd: second, events: Int16(POLLIN), revents: 0),
        ]
        // Two requests, which outlive the call.
        guard unsafe poll(&requests, 2, milliseconds) > 0 else { return (false, false) }
        return (requests[0].revents != 0, requests[1].revents != 0)
    }
}

private func systemPipe(_ ends: inout [Int32]) -> Int32 {
    // The call fills both places, and the array outlives it.
    unsafe patchbay_pipe(&ends)
}

/// The terminal while a program has it for itself: no echo, every key at once, a screen of its own.
///
/// Whatever ends or stops the process, but SIGKILL, gives the terminal back as it was.
enum FullScreen {
    /// The signals that end a process and can be caught.
    private static let ends = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
    ]
    private static let enteringText: StaticString = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l"
    // Emptied first: tmux wraps the lines of a screen that has grown since it was entered, and keeps some of them.
    private static let leavingText: StaticString =
        "\u{1B}[0m\u{1B}[H\u{1B}[J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    // Written before the handlers are set, or with the terminal in hand; a handler reads them at any moment, and finds
    // a value from before or after.
    nonisolated(unsafe) private static var saved = termios()
    nonisolated(unsafe) private static var isEntered = false
    nonisolated(unsafe) private static var isContinued = false
    nonisolated(unsafe) private static var wakeDescriptor: Int32 = -1

    /// Takes the terminal of the standard input and output.
    ///
    /// - Parameter wake: where a byte is written when the size changes or the process is continued.
    /// - Returns: whether the terminal let itself be taken.
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

    /// Takes it again when the process was continued after a stop, and says whether it did.
    ///
    /// - Parameter isLate: whether a stop should have happened long ago; some processes nobody may stop.
    static func takeAgain(isLate: Bool) -> Bool {
        guard unsafe isLeft && (isContinued || isLate) else { return false }
        unsafe isContinued = false
        return take()
    }

    private static func take() -> Bool {
        guard unsafe !isEntered else { return true }
        // The attributes are copied into places that outlive the calls.
        guard unsafe tcgetattr(0, &saved) == 0 else { return false }
        var raw = unsafe saved
        cfmakeraw(&raw)
        raw.c_oflag = unsafe saved.c_oflag
        guard unsafe tcsetattr(0, TCSANOW, &raw) == 0 else { return false }
        unsafe isEntered = true
        tell(enteringText)
        _ = signal(SIGTSTP) { FullScreen.end($0) }
        return true
    }

    /// Whether the terminal was given back, as before a stop.
    static var isLeft: Bool { unsafe !isEntered }

    /// Gives the terminal back; does only what a signal handler may do.
    static func leave() {
        guard unsafe isEntered else { return }
        unsafe isEntered = false
        tell(leavingText)
        _ = unsafe tcsetattr(0, TCSANOW, &saved)
    }

    /// Gives the terminal back for good.
    static func end() {
        leave()
        for number in ends + [SIGTSTP, SIGCONT, SIGWINCH] { _ = signal(number, SIG_DFL) }
    }

    /// Gives the terminal back and stops the process, as Ctrl-Z does elsewhere; soon after the call.
    static func stop() {
        leave()
        // To the process: the threads of a queue take no signals.
        _ = kill(getpid(), SIGTSTP)
    }

    /// Gives the terminal back and lets the signal do what it does to others.
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
        // A full pipe wakes as well.
        _ = unsafe write(wakeDescriptor, &byte, 1)
        errno = error
    }

    private static func tell(_ text: StaticString) {
        // Nobody is left to be told when it cannot be written.
        _ = unsafe write(1, text.utf8Start, text.utf8CodeUnitCount)
    }
}
