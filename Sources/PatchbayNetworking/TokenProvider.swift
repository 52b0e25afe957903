/// Where a token comes from: a value, an environment variable, a command.
public struct TokenProvider: Sendable {
    let read: @Sendable () async throws -> String?

    /// - Parameter read: called once before the first request, and once more when the server refuses the token.
    ///   Nil means that there is none, so that requests go without.
    public init(_ read: @escaping @Sendable () async throws -> String?) { self.read = read }

    /// A token that stays the same.
    public static func value(_ token: String) -> TokenProvider { TokenProvider { token } }
}
