/// The way to what measures a subject: another process, or this one.
protocol BenchLink: Sendable {
    /// Asks, and waits for the reply.
    ///
    /// - Throws: `internalError` when nobody is there to answer any more.
    func ask(_ request: BenchRequest) async throws -> BenchReply

    /// Lets it remove its files and end.
    func close() async
}

/// Measures a subject in this process; several subjects then share its memory and its counters.
actor LocalBench: BenchLink {
    private let session: BenchSession

    init(_ plugins: ComparePlugins) { session = BenchSession(plugins) }

    func ask(_ request: BenchRequest) async throws -> BenchReply { await session.reply(to: request) }

    func close() async {
        // What cannot be closed leaves its files to the comparison, which removes the folder above.
        try? await session.end()
    }
}
