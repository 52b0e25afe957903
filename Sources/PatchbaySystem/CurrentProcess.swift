import CPlatform

/// This process, as the system sees it.
package enum CurrentProcess {
    /// The process id; a forked process has another one.
    package static var number: Int32 { getpid() }
    package static var isRoot: Bool { geteuid() == 0 }
    /// Identifies the calling thread.
    package static var thread: UInt { threadIdentity() }
    /// The number of processors in use by the system.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Lets the calling thread run on one of the processors only, counted from 0 and beginning again after the last;
    /// nil lets it run on all of them. Threads that it makes meanwhile run there, too.
    package static func chooseProcessor(_ number: Int?) { patchbay_choose_processor(number ?? -1) }

    /// The environment variables by name, read again at each call.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe next = next.advanced(by: 1)
        }
        return variables
    }

    package static func variable(_ name: String) -> String? {
        // The text is copied at once, and nothing in the process changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
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

    /// Ends the process after the functions that are registered for its end (atexit(3)).
    package static func end(status: Int32) -> Never { exit(status) }
}

// MARK: - Figures

extension CurrentProcess {
    /// The processor time of all threads, in user code and in the system, in seconds.
    package static var processorSeconds: Double? {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    /// The size of the memory that is not swapped out, in bytes.
    package static var residentBytes: Int? {
        // The second number is that of resident pages.
        let words = SystemFile.text("/proc/self/statm")?.split(separator: " ") ?? []
        guard words.count > 1, let pages = Int(words[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    package static var openDescriptorCount: Int? {
        // Without the descriptor of the listed folder itself.
        FileSystem.names(in: "/proc/self/fd").map { max(0, $0.count - 1) }
    }
}

// MARK: - Limits

extension CurrentProcess {
    /// What the system may limit (getrlimit(2)): the address space and the stack in bytes, and the open descriptors.
    package enum Limit {
        case memory, stack, files

        fileprivate var number: Int32 {
            switch self {
            case .memory: patchbay_limit_memory
            case .stack: patchbay_limit_stack
            case .files: patchbay_limit_files
            }
        }
    }

    /// Returns a limit; nil if there is none.
    package static func limit(_ limit: Limit) -> Int? {
        var value = rlimit()
        // The call fills the limits, which outlive it.
        guard unsafe getrlimit(limit.number, &value) == 0, value.rlim_cur != rlim_t.max else { return nil }
        return Int(clamping: value.rlim_cur)
    }

    /// Raises a limit as far as the system allows without privileges.
    package static func raise(_ limit: Limit) {
        var value = rlimit()
        guard unsafe getrlimit(limit.number, &value) == 0, value.rlim_cur < value.rlim_max else { return }
        value.rlim_cur = value.rlim_max
        // If this fails, the lower limit remains.
        _ = unsafe setrlimit(limit.number, &value)
    }

    /// Keeps an open descriptor from the programs that this process starts.
    package static func keepFromChildren(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}

/// The system's clock.
package enum SystemClock {
    /// The milliseconds since 1970; the clock may be set, so it may jump.
    package static var milliseconds: Int64 {
        var time = timespec()
        // Cannot fail, because CLOCK_REALTIME always exists.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns the time of a clock with an arbitrary start, which never goes back.
    @Sendable package static func monotonic() -> Duration {
        var time = timespec()
        // Cannot fail, because CLOCK_MONOTONIC always exists.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Blocks the calling thread for less than a second; a signal may end that early.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }
}

/// Signals to this process.
///
/// A signal that the process was started to ignore, as by `nohup` or as a shell's background job, stays ignored.
package enum Signal {
    /// Ctrl-C.
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    /// A write to a pipe without a reader. If it is ignored, the write fails instead of ending the process.
    package static let brokenPipe = SIGPIPE

    /// Read before the first change of what a signal does.
    private static let ignoredAtStart = Set((Int32(1)..<32).filter { patchbay_ignores($0) != 0 })

    /// Whether the process was started to ignore the signal.
    package static func isKeptIgnored(_ number: Int32) -> Bool { ignoredAtStart.contains(number) }

    package static func ignore(_ number: Int32) {
        if !isKeptIgnored(number) { _ = signal(number, SIG_IGN) }
    }

    /// Calls a function at the signal, which may use only async-signal-safe functions.
    package static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        if !isKeptIgnored(number) { _ = signal(number, handler) }
    }

    /// Lets the signal do again what it does in a new program.
    package static func restore(_ number: Int32) {
        if !isKeptIgnored(number) { _ = signal(number, SIG_DFL) }
    }
}
