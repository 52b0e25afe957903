import PatchbayGateway

extension ConfigurationOptions {
    /// Opens source and storage, runs `body` and closes both, whatever becomes of it.
    func withGateway<Result>(
        isOffline: Bool, _ body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let gateway = try await openGateway(isOffline: isOffline)
        do {
            let result = try await body(gateway)
            try await gateway.close()
            return result
        } catch {
            // The first error is the one to tell.
            try? await gateway.close()
            throw error
        }
    }
}
