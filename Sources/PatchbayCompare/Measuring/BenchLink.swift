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
