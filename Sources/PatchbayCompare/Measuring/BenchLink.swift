/// The connection to the process that measures a subject, which may be this one.
protocol BenchLink: Sendable {
    /// Sends a request and waits for the reply.
    ///
    /// - Throws: `internalError` when the process has ended.
    func ask(_ request: BenchRequest) async throws -> BenchReply

    /// Removes the files and ends the process.
    func close() async
}

/// Measures a subject in this process, where several subjects share memory and counters.
actor LocalBench: BenchLink {
    private let session: BenchSession

    init(_ plugins: ComparePlugins) { session = BenchSession(plugins, isAlone: false) }

    func ask(_ request: BenchRequest) async throws -> BenchReply { await session.reply(to: request) }

    func close() async {
        // If the storage cannot be closed, the comparison still removes the parent folder with its files.
        try? await session.end()
    }
}
