public import PatchbayCore

extension RateLimit {
    /// The tightest budget that the next question to a server's API meets: the main one, or a limit on all requests.
    ///
    /// - Parameters:
    ///   - baseURL: an address of the server.
    ///   - token: the fingerprint of the token that is sent; nil without one.
    /// - Returns: nil when nothing is known, as after a reset.
    /// - Throws: what the memory throws when it is read.
    public func budget(at baseURL: String, token: TokenFingerprint?) async throws -> StoredBudget? {
        guard let origin = HTTPAddress(baseURL)?.origin else { return nil }
        let ours = try await budgets().filter { budget in
            budget.origin == origin && budget.token == token?.description ?? ""
                && [RateLimitResource.core, RateLimitResource.secondary].contains(budget.resource)
        }
        return ours.min { $0.remaining < $1.remaining }
    }
}
