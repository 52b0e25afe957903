import CPlatform

/// Calls on a descriptor that is not an ``OpenFile``: a standard stream, or an end of a pipe. A signal may interrupt
/// them, so that a caller can stop waiting.
package enum Descriptor {
    package static func openForReading(_ path: String) -> Result<Int32, SystemError> {
        result(of: unsafe open(path, O_RDONLY | O_CLOEXEC))
    }

    /// Creates a file that only its owner may read; fails if the path exists, even as a link.
    package static func create(_ path: String) -> Result<Int32, SystemError> {
        result(of: unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    }

    /// Opens a file for appending, and creates it if it does not exist.
    ///
    /// A link is refused, and so is a file with a second hard link, because another user may have created it. The
    /// system's names for the standard streams are links too, but they are allowed. Opening a pipe without a reader
    /// fails instead of waiting.
    package static func openForAppending(_ path: String) -> Result<Int32, SystemError> {
        let isStream = ["/dev/stdout", "/dev/stderr"].contains(path)
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | (isStream ? 0 : O_NOFOLLOW)
        return result(of: unsafe open(path, flags, 0o600)).flatMap { descriptor in
            let status = FileStatus(descriptor: descriptor)
            let isShared = status.map { $0.kind == .file && $0.links > 1 } ?? true
            guard isShared, !isStream else { return .success(descriptor) }
            close(descriptor)
            return .failure(.tooManyLinks)
        }
    }

    /// Reads at most `bytesMax` bytes; returns none at the end.
    package static func read(_ descriptor: Int32, bytesMax: Int) -> Result<[UInt8], SystemError> {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            // The buffer has room for the requested number of bytes.
            let got = unsafe CPlatform.read(descriptor, buffer.baseAddress, bytesMax)
            count = max(0, got)
            if got < 0 { failure = .last }
        }
        return failure.map { .failure($0) } ?? .success(bytes)
    }

    /// Writes some of the bytes and returns how many.
    package static func write(
        _ bytes: [UInt8], from start: Int, to descriptor: Int32
    ) -> Result<Int, SystemError> {
        unsafe bytes.withUnsafeBytes { bytes in
            // The slice ends with the array, and the array outlives the call.
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            let count = unsafe CPlatform.write(descriptor, rest.baseAddress, rest.count)
            return count < 0 ? .failure(.last) : .success(count)
        }
    }

    package static func sync(_ descriptor: Int32) -> Result<Int32, SystemError> {
        result(of: fsync(descriptor))
    }

    package static func close(_ descriptor: Int32) { _ = CPlatform.close(descriptor) }

    private static func result(of call: Int32) -> Result<Int32, SystemError> {
        call < 0 ? .failure(.last) : .success(call)
    }
}

// MARK: - Waiting

extension Descriptor {
    /// Makes reads and writes return at once when they would wait.
    package static func stopBlocking(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// Waits until a non-blocking descriptor accepts bytes again; returns early when a signal arrives.
    package static func waitUntilWritable(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // One request, which outlives the call.
        _ = unsafe poll(&request, 1, -1)
    }

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

    /// Returns whether the reader of a pipe, a socket or a terminal has gone.
    package static func isReaderGone(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: 0, revents: 0)
        // One request, which outlives the call.
        return unsafe poll(&request, 1, 0) > 0 && Int32(request.revents) & (POLLERR | POLLHUP) != 0
    }
}

// MARK: - Standard streams and terminals

extension Descriptor {
    /// Opens closed standard streams, so that no file, socket or queue of the process gets their numbers. Standard
    /// input is opened for writing and the others for reading, so that using them fails like using a closed descriptor.
    package static func fillStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            // open returns the lowest free descriptor, which is this one.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the terminal's width; nil if the descriptor is not a terminal or the width is unknown.
    package static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        // The request fills a winsize, which outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns the terminal's columns and rows; nil if they are unknown.
    package static func size(_ descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        // The request fills a winsize, which outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Returns the number of bytes in complete lines that are waiting to be read from a terminal; 0 if the descriptor
    /// is not a terminal.
    package static func typedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        // Safe: the call writes one integer, and the variable outlives the call.
        guard isTerminal(descriptor), unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }
}
