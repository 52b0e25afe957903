import CPlatform

/// A child process, started without a shell.
package struct ChildProcess: Sendable {
    /// The process id.
    package let number: Int32

    /// Why it could not be started.
    package struct Failure: Error {
        package let reason: String

        /// A phrase that follows its name.
        package var words: String { "cannot be started: \(reason)" }
    }

    /// - Parameters:
    ///   - words: the program, which is searched for in `PATH`, and its arguments; at least one.
    ///   - input: the descriptor of standard input; the other two are standard output and standard error. `/dev/null`
    ///     for nil.
    package init(
        _ words: [String], environment: [String: String], input: Int32? = nil, output: Int32? = nil,
        errors: Int32? = nil
    ) throws(Failure) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (place, descriptor) in [input, output, errors].enumerated() {
            if let descriptor {
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
            } else {
                unsafe posix_spawn_file_actions_addopen(
                    &actions, Int32(place), "/dev/null", place == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // This process ignores SIGPIPE, and the program would inherit that; it should do so only if this one did.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        if !Signal.isKeptIgnored(SIGPIPE) { unsafe sigaddset(&signals, SIGPIPE) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let code = unsafe Self.withCStrings(words) { words in
            unsafe Self.withCStrings(variables) { variables in
                unsafe posix_spawnp(&process, words[0]!, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else {
            throw Failure(
                reason: code == ENOENT ? "\(words[0]) was not found" : SystemError(code).words)
        }
        number = process
    }

    /// Blocks until it has ended, and returns its status as `waitpid` does.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        _ = try? SystemError.retrying { unsafe waitpid(number, &status, 0) }
        return status
    }

    /// Waits for its end until a moment.
    ///
    /// - Returns: the exit status, or 128 plus the number of the signal that ended it; nil when it is still running.
    package func status(until deadline: ContinuousClock.Instant) -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(number, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < deadline else { return nil }
            usleep(2_000)
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Ends it at once, and waits until it has ended.
    package func end() {
        kill(number, SIGKILL)
        wait()
    }

    /// Converts texts to C strings in an array that ends with a null pointer; they are valid while `body` runs.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers)
    }
}

/// A pipe that only this process and its child get: other processes that it starts do not inherit the ends.
package struct ProcessPipe: Sendable {
    package let reading: Int32
    package let writing: Int32

    /// Returns nil when no descriptor is left; `errno` contains the reason.
    package init?() {
        var ends: [Int32] = [0, 0]
        guard unsafe patchbay_pipe(&ends) == 0 else { return nil }
        reading = ends[0]
        writing = ends[1]
    }

    package func closeReading() { close(reading) }
    package func closeWriting() { close(writing) }

    /// Reads until all writing ends are closed, but at most `max` bytes and one more, which shows that there are more.
    ///
    /// - Returns: nil when that lasts until the deadline.
    package func rest(max: Int, until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: max + 1)
        while bytes.count <= max {
            let milliseconds = (deadline - ContinuousClock.now) / .milliseconds(1)
            var poller = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            let ready = milliseconds > 0 ? unsafe poll(&poller, 1, Int32(milliseconds) + 1) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            // The array has room for as many bytes as are requested. A failed read ends the output like a closed end.
            let count = (try? SystemError.retrying { unsafe read(reading, &buffer, buffer.count) }) ?? 0
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}
