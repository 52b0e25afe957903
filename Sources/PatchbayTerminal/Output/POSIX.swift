internal import CPlatform
internal import PatchbayCore
import PatchbaySystem

/// The system calls for output; no other file of the output calls C.
package enum POSIX {
    /// A system call's error number.
    package struct Failure: Error, Equatable {
        let number: Int32

        static let interrupted = Failure(number: EINTR)
        static let wouldBlock = Failure(number: EAGAIN)
        static let brokenPipe = Failure(number: EPIPE)
        static let closed = Failure(number: EBADF)
        static let taken = Failure(number: EEXIST)

        /// Whether the disk or the user's quota is full, or the file has its maximum size.
        var isFull: Bool { DiskSpace.isUsedUp(number) }
        /// Whether the file is a link, and links are not followed or lead to each other.
        var isLink: Bool { [ELOOP, EMLINK].contains(number) }
    }

    /// Writes some of the bytes and returns how many.
    package static func write(_ bytes: [UInt8], from start: Int, to descriptor: Int32) -> Result<Int, Failure>
    {
        unsafe bytes.withUnsafeBytes { bytes in
            // The slice ends with the array, and the array outlives the call.
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            let count = unsafe CPlatform.write(descriptor, rest.baseAddress, rest.count)
            return count < 0 ? .failure(Failure(number: errno)) : .success(count)
        }
    }

    /// Waits until a non-blocking descriptor accepts bytes again; returns early when a signal arrives.
    static func waitUntilWritable(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // One request, which outlives the call.
        _ = unsafe poll(&request, 1, -1)
    }

    /// Returns whether the reader of a pipe, a socket or a terminal has gone.
    package static func isReaderGone(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: 0, revents: 0)
        // One request, which outlives the call.
        return unsafe poll(&request, 1, 0) > 0 && Int32(request.revents) & (POLLERR | POLLHUP) != 0
    }

    /// Returns the time of a monotonic clock with an arbitrary start.
    @Sendable static func monotonicTime() -> Duration {
        var time = timespec()
        // Cannot fail, because CLOCK_MONOTONIC always exists.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Returns the first argument of the process that is not UTF-8, with U+FFFD for invalid bytes.
    ///
    /// Such an argument must be refused, because a file name with U+FFFD names another file, and several invalid names
    /// would become the same.
    package static func brokenArgument() -> String? {
        (1..<max(1, Int(CommandLine.argc))).lazy.compactMap { position in
            // The arguments outlive the process's own code, and each ends in a zero.
            guard let bytes = unsafe CommandLine.unsafeArgv[position] else { return nil }
            return unsafe String(validatingCString: bytes) == nil ? unsafe String(cString: bytes) : nil
        }.first
    }

    /// Opens closed standard streams, so that no file, socket or queue of the process gets their numbers. Standard
    /// input is opened for writing and the others for reading, so that using them fails like using a closed descriptor.
    package static func fillStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            // open returns the lowest free descriptor, which is this one.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Returns the process's limit for a resource; nil if there is none.
    package static func limit(_ resource: Resource) -> UInt? {
        var limits = rlimit()
        let number = resource == .memory ? patchbay_limit_memory : patchbay_limit_files
        // The call fills the limits, which outlive it.
        guard unsafe getrlimit(number, &limits) == 0, limits.rlim_cur != rlim_t.max else { return nil }
        return UInt(limits.rlim_cur)
    }

    package enum Resource { case memory, files }

    /// The number of processors that the process may use.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Makes writing to a pipe without a reader throw ``BrokenPipe`` instead of ending the process. Call it once,
    /// before the first write.
    package static func ignoreBrokenPipeSignal() { _ = signal(SIGPIPE, SIG_IGN) }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the terminal's width; nil if the descriptor is not a terminal or the width is unknown.
    package static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        // The request fills a winsize, which outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns the number of bytes in complete lines that are waiting to be read from a terminal; 0 if the descriptor
    /// is not a terminal.
    static func typedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        // Safe: the call writes one integer, and the variable outlives the call.
        guard isTerminal(descriptor), unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }

    package static func environment(_ name: String) -> String? {
        // The text is copied at once, and nothing in the process changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

extension POSIX.Failure: CustomStringConvertible {
    /// The system's message, starting in lower case like all messages: `no space left on device`.
    package var description: String { SystemError(number).words }
}
