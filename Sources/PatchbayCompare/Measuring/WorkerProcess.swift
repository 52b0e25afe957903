import CPlatform
import PatchbayCore
import Synchronization

/// A separate process for one subject, so that memory, processor time and written bytes are those of the subject.
///
/// It runs this program again. Waiting for a reply blocks the thread.
final class WorkerProcess: BenchLink {
    private let process: pid_t
    private let frames: Frames
    private let isClosed = Mutex(false)

    /// - Parameter arguments: the arguments that make the program run ``CompareWorker``.
    init(arguments: [String]) throws {
        let requests = try WorkerProcess.pipeEnds()
        let replies: [Int32]
        do {
            replies = try WorkerProcess.pipeEnds()
        } catch {
            for end in requests { systemClose(end) }
            throw error
        }
        defer { for end in [requests[0], replies[1]] { systemClose(end) } }
        frames = Frames(reading: replies[0], writing: requests[1])
        do {
            process = try WorkerProcess.start(arguments, input: requests[0], output: replies[1])
        } catch {
            for end in [requests[1], replies[0]] { systemClose(end) }
            throw error
        }
    }

    func ask(_ request: BenchRequest) async throws -> BenchReply {
        do {
            try frames.write(request.bytes)
            if let reply = try frames.read() { return try BenchReply(bytes: reply) }
        } catch let error as PatchbayError where error.message != Frames.fault.message {
            // The other end of the pipe is closed; the status of the process says more.
        }
        throw PatchbayError(.internalError, "its process \(end())")
    }

    func close() async { _ = end() }

    deinit { _ = end() }

    /// Closes the pipes, waits for the process, and returns how it ended.
    private func end() -> String {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return "has already ended" }
        systemClose(frames.writing)
        systemClose(frames.reading)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        let number = status & 0x7F
        return number == 0
            ? "exited with status \((status >> 8) & 0xFF)" : "was killed by signal \(number)"
    }

    private static func start(_ arguments: [String], input: Int32, output: Int32) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        // C strings with a null pointer at the end; they live until the process has started.
        let words = unsafe (["patchbay"] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        let number = unsafe posix_spawn(&process, "/proc/self/exe", &actions, nil, words, environ)
        guard number == 0 else { throw error(number) }
        return process
    }

    /// The reading and the writing end; other processes do not inherit them.
    private static func pipeEnds() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard unsafe patchbay_pipe(&ends) == 0 else { throw error(errno) }
        return ends
    }

    private static func error(_ number: Int32) -> PatchbayError {
        PatchbayError(.internalError, "cannot start the process that measures: \(SystemFile.words(number))")
    }
}

private func systemClose(_ file: Int32) { _ = close(file) }
