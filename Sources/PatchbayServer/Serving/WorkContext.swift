import PatchbayCore

/// Something that the work for an answer belongs to, and that the tasks that do the work know.
protocol WorkContext: Sendable {
    /// Runs work that belongs to the context.
    func running<Result>(_ body: () -> Result) -> Result
    /// Runs work that belongs to the context.
    func running<Result>(_ body: () async throws -> Result) async rethrows -> Result
}

extension ServingClient: WorkContext {
    func running<Result>(_ body: () -> Result) -> Result { Self.$current.withValue(self, operation: body) }

    func running<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$current.withValue(self) { try await body() }
    }
}

extension ServerReply {
    /// Returns a reply whose work, including the production of a streamed body, belongs to a context.
    consuming func running(in context: some WorkContext) -> ServerReply {
        switch consume self {
        case .ready(let response): .ready(response.running(in: context))
        case .later(let work): .later { await context.running { await work() }.running(in: context) }
        case .reading(let bytesMax, let next):
            .reading(bytesMax: bytesMax) { body in
                context.running { next(body) }.running(in: context)
            }
        }
    }
}

extension ServerResponse {
    fileprivate consuming func running(in context: some WorkContext) -> ServerResponse {
        guard case .stream(let produce) = body else { return self }
        body = .stream { writer in try await context.running { try await produce(writer) } }
        return self
    }
}
