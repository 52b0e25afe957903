import CPlatform
import PatchbayCore
import PatchbaySystem

/// A program that prints a secret: `gh auth token`, `pass show github`.
///
/// No shell is involved: the command is split at spaces and passed to the program unchanged, so `;`, `$` and quotes
/// have no meaning. The program receives no standard input, its standard error is discarded, and it is killed when it
/// takes too long or prints too much.
struct SecretCommand {
    private let words: [String]
    private let environment: [String: String]
    private let limit: Duration

    static let bytesMax = 4096
    static let usualLimit = Duration.seconds(10)

    init(_ text: String, environment: [String: String], limit: Duration = usualLimit) {
        words = text.split(separator: " ").map(String.init)
        self.environment = environment
        self.limit = limit
    }

    /// Why there is no secret, as a phrase that follows the command.
    struct Failure: Error, Equatable {
        let words: String

        static let late = Failure(words: "took too long")
    }

    /// Returns the output of the program. Blocks until it ends.
    func output() throws(Failure) -> [UInt8] {
        guard !words.isEmpty else { throw Failure(words: "names no program") }
        let deadline = ContinuousClock.now + limit
        guard let pipe = ProcessPipe() else { throw Failure(words: "cannot be started: no pipe is left") }
        defer { close(pipe.reading) }
        let process: pid_t
        do {
            process = try ChildProcess(words, environment: environment, output: pipe.writing).number
        } catch {
            throw Failure(words: error.words)
        }
        close(pipe.writing)
        let status: Int32
        let bytes: [UInt8]
        do {
            bytes = try pipe.bytes(max: Self.bytesMax, until: deadline)
            status = try Self.status(of: process, until: deadline)
        } catch {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            throw error == .late ? Failure(words: "took longer than \(limit.components.seconds) s") : error
        }
        guard status == 0 else {
            throw Failure(words: "ended with the status \(status); run it in a terminal to see why")
        }
        return bytes
    }

    /// Waits for the end and returns the exit status, or 128 plus the signal.
    private static func status(
        of process: pid_t, until deadline: ContinuousClock.Instant
    ) throws(Failure) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            // It has closed its output, and usually ends at once.
            guard ContinuousClock.now < deadline else { throw .late }
            usleep(2_000)
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

extension ProcessPipe {
    /// Reads until the other end is closed.
    fileprivate func bytes(
        max: Int, until deadline: ContinuousClock.Instant
    ) throws(SecretCommand.Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: max + 1)
        while true {
            let milliseconds = (deadline - ContinuousClock.now) / .milliseconds(1)
            var poller = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            let ready = milliseconds > 0 ? unsafe poll(&poller, 1, Int32(milliseconds) + 1) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw .late }
            // The array has room for as many bytes as are requested.
            let count = (try? SystemError.retrying { unsafe read(reading, &buffer, buffer.count) }) ?? 0
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= max else {
                throw SecretCommand.Failure(words: "printed more than \(max) bytes")
            }
        }
    }
}
