import PatchbayCore
import PatchbaySystem

/// The connection to the process that measures a subject, which may be this one.
protocol BenchLink: AnyObject {
    /// Sends a request and waits for the reply.
    ///
    /// - Throws: `internalError` when the process has ended.
    func send(_ request: BenchRequest) async throws -> BenchReply

    /// Removes the files and ends the process.
    func close() async
}

/// The process in which subjects are measured.
package enum MeasuringPlace: Sendable {
    /// Each in a separate process: this program again, with arguments that make it run ``CompareWorker``.
    case processes(arguments: [String])
    /// All in this process, which makes memory and written bytes those of all subjects.
    case thisProcess(ComparePlugins)

    func link() throws -> any BenchLink {
        switch self {
        case .processes(let arguments): try WorkerProcess(arguments: arguments)
        case .thisProcess(let plugins): BenchSession(plugins)
        }
    }
}

/// A separate process for one subject, so that memory, processor time and written bytes are those of the subject.
///
/// It runs this program again. Waiting for a reply blocks the thread.
final class WorkerProcess: BenchLink {
    private let process: ChildProcess
    private let frames: Frames
    private var isClosed = false

    /// - Parameter arguments: the arguments that make the program run ``CompareWorker``.
    init(arguments: [String]) throws {
        let own: Int32, other: Int32
        do throws(SystemError) {
            (own, other) = try Socket.pair()
        } catch {
            throw WorkerProcess.failure(error.words)
        }
        defer { Descriptor.close(other) }
        frames = Frames(socket: own)
        do {
            // Output of a storage must not mix with the replies.
            process = try ChildProcess(
                ["/proc/self/exe"] + arguments, environment: ProcessEnvironment.variables,
                input: other, output: 2, errors: 2)
        } catch {
            Descriptor.close(own)
            throw WorkerProcess.failure(error.reason)
        }
    }

    func send(_ request: BenchRequest) async throws -> BenchReply {
        do {
            try frames.write(request)
            if let reply: BenchReply = try frames.read() { return reply }
        } catch let error as PatchbayError where error.message != Frames.fault.message {
            // The other end is closed; the status of the process says more.
        }
        throw PatchbayError(.internalError, "its process \(end())")
    }

    func close() async { _ = end() }

    deinit { _ = end() }

    /// Closes the connection, waits for the process, and returns how it ended.
    private func end() -> String {
        guard !isClosed else { return "has already ended" }
        isClosed = true
        Descriptor.close(frames.socket)
        let status = process.wait(), number = status & 0x7F
        return number == 0
            ? "exited with status \((status >> 8) & 0xFF)" : "was killed by signal \(number)"
    }

    private static func failure(_ reason: String) -> PatchbayError {
        PatchbayError(.internalError, "cannot start the process that measures: \(reason)")
    }
}
