import PatchbayCore

extension ServerReply {
    /// Returns a reply whose work counts for a client, including the production of a streamed body.
    consuming func counted(for client: ServingClient) -> ServerReply {
        switch consume self {
        case .ready(let response): .ready(response.counted(for: client))
        case .later(let work):
            .later {
                await ServingClient.$current.withValue(client) { await work() }.counted(for: client)
            }
        case .reading(let bytesMax, let next):
            .reading(bytesMax: bytesMax) { body in
                ServingClient.$current.withValue(client) { next(body) }.counted(for: client)
            }
        }
    }
}

extension ServerResponse {
    fileprivate consuming func counted(for client: ServingClient) -> ServerResponse {
        guard case .stream(let produce) = body else { return self }
        body = .stream { writer in
            try await ServingClient.$current.withValue(client) { try await produce(writer) }
        }
        return self
    }
}
