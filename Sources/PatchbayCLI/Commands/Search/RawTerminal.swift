#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The terminal of standard input, giving keystrokes and not lines.
///
/// It is set back by ``end()``, and by the signals that end the process: Ctrl-C among them, which then ends it by the
/// signal as everywhere (status 130). Ctrl-Z does nothing meanwhile.
enum RawTerminal {
    /// Returns false when standard input is no terminal; nothing has changed then.
    static func begin() -> Bool {
        var settings = termios()
        // The call fills the settings, which outlive it.
        guard unsafe tcgetattr(0, &settings) == 0 else { return false }
        unsafe before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            // Positions below the count of control characters (NCCS).
            unsafe keys[Int(VMIN)] = 1
            unsafe keys[Int(VTIME)] = 0
            unsafe keys[Int(VSUSP)] = 0
        }
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { _ = signal(number, restoreAndDie) }
        return unsafe tcsetattr(0, TCSANOW, &settings) == 0
    }

    /// Sets the terminal back as it was.
    static func end() {
        _ = unsafe tcsetattr(0, TCSANOW, &before)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { _ = signal(number, SIG_DFL) }
    }

    /// Written before the handlers are set, and only read afterwards.
    nonisolated(unsafe) fileprivate static var before = termios()
}

/// Does only what a signal handler may do.
private func restoreAndDie(_ number: Int32) {
    _ = unsafe tcsetattr(0, TCSANOW, &RawTerminal.before)
    _ = unsafe write(2, "\r\u{1B}[K", 4)
    _ = signal(number, SIG_DFL)
    _ = raise(number)
}
