import CPlatform

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
