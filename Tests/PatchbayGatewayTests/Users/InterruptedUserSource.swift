import PatchbayDomain
import PatchbayTestKit

/// A source during whose answers something else happens: after it has answered, before anybody hears it.
struct InterruptedUserSource: UserSource {
    let source: ScriptedUserSource
    let meanwhile: @Sendable () async throws -> Void

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let answer = try await source.users(page, ifChangedFrom: validator)
        try await meanwhile()
        return answer
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let answer = try await source.user(login, ifChangedFrom: validator)
        try await meanwhile()
        return answer
    }
}
