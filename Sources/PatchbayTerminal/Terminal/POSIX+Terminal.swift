internal import CPlatform

/// The system calls for the terminal; no other file of the browser calls C.
extension POSIX {
    /// Returns the terminal's columns and rows; nil if they are unknown.
    package static func size(_ descriptor: Int32) -> ScreenSize? {
        var size = winsize()
        // The request fills a winsize, which outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Makes reads and writes return at once when they would wait.
    static func stopBlocking(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// Waits until one of two descriptors has bytes or has lost its writer, a signal arrives or the time is up.
    package static func wait(for first: Int32, or second: Int32, milliseconds: Int32) -> (
        first: Bool, second: Bool
    ) {
        var requests = [
            pollfd(fd: first, events: Int16(POLLIN), revents: 0),
            pollfd(fd: second, events: Int16(POLLIN), revents: 0),
        ]
        // Two requests, which outlive the call.
        guard unsafe poll(&requests, 2, milliseconds) > 0 else { return (false, false) }
        return (requests[0].revents != 0, requests[1].revents != 0)
    }
}
