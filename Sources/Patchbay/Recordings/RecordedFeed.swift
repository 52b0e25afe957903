import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import PatchbayNetworking

/// The feed of a source that answers from a recording, which may be one by another program.
struct RecordedFeed: ResourceFeed {
    private let base: any ResourceFeed
    private let lists: RecordedLists

    init(_ base: any ResourceFeed) {
        self.base = base
        lists = RecordedLists { request in
            guard case .changed(let page, _) = try await Self.page(request, Validator(), of: base) else {
                return nil
            }
            return page
        }
    }

    /// Returns a page whose link to the next one contains no secrets, because lists are stored with their links.
    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        let answer = try await lists.answer(to: request)
        let fetched =
            if let answer {
                try await RecordedStep.$current.withValue(RecordedStep(.answer(answer.number))) {
                    try await Self.page(request, validator, of: base)
                }
            } else {
                try await lastAttempt { try await Self.page(request, validator, of: base) }
            }
        guard case .changed(var page, let validator) = fetched else { return fetched }
        let shortfall = await lists.shortfall(of: page, request, in: answer)
        page.shortfall = page.shortfall ?? shortfall
        return .changed(page, validator)
    }

    private static func page(
        _ request: ItemRequest, _ validator: Validator, of base: any ResourceFeed
    ) async throws -> Fetched<ItemPage> {
        let fetched = try await base.page(request, ifChangedFrom: validator)
        guard case .changed(var page, let validator) = fetched else { return fetched }
        page.next = page.next.map(withoutSecrets)
        return .changed(page, validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await lastAttempt { try await base.item(handle, of: resource, ifChangedFrom: validator) }
    }

    /// Returns the first result that is not a rate limit, or else the last one.
    ///
    /// Only the feed recognizes a limit in the body of a successful answer; `RecordedAttempts` handles other refusals.
    private func lastAttempt<Value>(_ attempt: () async throws -> Value) async throws -> Value {
        for _ in 1..<RecordedAttempts.attemptsMax {
            do {
                return try await attempt()
            } catch let error as PatchbayError where error.code == .rateLimited {
                continue
            }
        }
        return try await attempt()
    }

    /// Returns the address with a placeholder for each secret in its query, which a replay ignores. Fingerprints keep
    /// the pages of a list distinct if such a parameter is a cursor.
    private static func withoutSecrets(_ address: String) -> String {
        address.replacing(/([?&]([^=&#]+)=)([^&#]+)/) { item in
            let name = PercentEncoding.decoded(item.2).lowercased()
            guard SecretNames.isSecret(parameter: name), !item.3.hasPrefix(SecretNames.placeholder) else {
                return String(item.0)
            }
            let fingerprint = name.hasPrefix("passw") ? "" : "-\(TokenFingerprint(item.3))"
            return "\(item.1)\(SecretNames.placeholder)\(fingerprint)"
        }
    }
}
