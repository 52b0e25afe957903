import CPlatform
import PatchbayCore

/// A separate process for one subject, so that memory, processor time and written bytes are those of the subject.
///
/// It runs this program again. Waiting for a reply blocks the thread.
final class WorkerProcess: BenchLink {
    private let process: ChildProcess
    private let frames: Frames
    private var isClosed = false

    /// - Parameter arguments: the arguments that make the program run ``CompareWorker``.
    init(arguments: [String]) throws {
        guard let requests = ProcessPipe() else { throw WorkerProcess.failure() }
        guard let replies = ProcessPipe() else {
            defer { for end in [requests.reading, requests.writing] { CPlatform.close(end) } }
            throw WorkerProcess.failure()
        }
        defer { for end in [requests.reading, replies.writing] { CPlatform.close(end) } }
        frames = Frames(reading: replies.reading, writing: requests.writing)
        do {
            process = try ChildProcess(
                ["/proc/self/exe"] + arguments, environment: ProcessEnvironment.variables,
                input: requests.reading, output: replies.writing, errors: STDERR_FILENO)
        } catch {
            for end in [requests.writing, replies.reading] { CPlatform.close(end) }
            throw WorkerProcess.failure(error.reason)
        }
    }

    func ask(_ request: BenchRequest) async throws -> BenchReply {
        do {
            try frames.write(request)
            if let reply: BenchReply = try frames.read() { return reply }
        } catch let error as PatchbayError where error.message != Frames.fault.message {
            // The other end of the pipe is closed; the status of the process says more.
        }
        throw PatchbayError(.internalError, "its process \(end())")
    }

    func close() async { _ = end() }

    deinit { _ = end() }

    /// Closes the pipes, waits for the process, and returns how it ended.
    private func end() -> String {
        guard !isClosed else { return "has already ended" }
        isClosed = true
        CPlatform.close(frames.writing)
        CPlatform.close(frames.reading)
        let status = process.wait(), number = status & 0x7F
        return number == 0
            ? "exited with status \((status >> 8) & 0xFF)" : "was killed by signal \(number)"
    }

    private static func failure(_ reason: String = PatchbayError.systemWords(errno)) -> PatchbayError {
        PatchbayError(.internalError, "cannot start the process that measures: \(reason)")
    }
}
