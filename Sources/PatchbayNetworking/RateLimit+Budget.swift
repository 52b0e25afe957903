package import PatchbayCore

extension RateLimit {
    /// Returns the tightest budget for the next request to a server's API: the main one, or the limit on all requests.
    ///
    /// - Parameters:
    ///   - baseURL: an address of the server.
    ///   - token: the fingerprint of the token that is sent; nil without one.
    /// - Returns: nil when nothing is known, such as after a reset.
    /// - Throws: any error of reading the memory.
    package func budget(at baseURL: String, token: TokenFingerprint?) async throws -> StoredBudget? {
        guard let origin = HTTPAddress(baseURL)?.origin else { return nil }
        let ours = try await budgets().filter { budget in
            budget.origin == origin && budget.token == token?.description ?? ""
                && [RateLimitResource.core, RateLimitResource.secondary].contains(budget.resource)
        }
        return ours.min { $0.remaining < $1.remaining }
    }
}
