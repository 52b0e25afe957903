internal import CPlatform

/// The terminal of standard input in a mode that delivers keystrokes instead of lines.
///
/// ``end()`` restores the terminal, and so do the signals that end the process. Among these is Ctrl-C, which ends the
/// process by the signal as usual (status 130). Ctrl-Z has no effect in this mode.
enum RawTerminal {
    /// Enters the mode; returns false and changes nothing if standard input is not a terminal.
    static func begin() -> Bool {
        var settings = termios()
        // The call fills the settings, which outlive it.
        guard unsafe tcgetattr(0, &settings) == 0 else { return false }
        unsafe before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            // The indexes are below the number of control characters (NCCS).
            unsafe keys[Int(VMIN)] = 1
            unsafe keys[Int(VTIME)] = 0
            unsafe keys[Int(VSUSP)] = 0
        }
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { _ = signal(number, restoreAndDie) }
        return unsafe tcsetattr(0, TCSANOW, &settings) == 0
    }

    /// Restores the terminal.
    static func end() {
        _ = unsafe tcsetattr(0, TCSANOW, &before)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { _ = signal(number, SIG_DFL) }
    }

    /// Written before the handlers are set, and only read afterwards.
    nonisolated(unsafe) fileprivate static var before = termios()
}

/// Restores the terminal and ends the process by the signal; uses only async-signal-safe calls.
private func restoreAndDie(_ number: Int32) {
    _ = unsafe tcsetattr(0, TCSANOW, &RawTerminal.before)
    _ = unsafe write(2, "\r\u{1B}[K", 4)
    _ = signal(number, SIG_DFL)
    _ = raise(number)
}
