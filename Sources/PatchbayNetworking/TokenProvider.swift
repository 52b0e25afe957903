/// The origin of a token: a value, an environment variable or a command.
package struct TokenProvider: Sendable {
    let read: @Sendable () async throws -> String?

    /// - Parameter read: called once before the first request, and once more when the server refuses the token. Nil
    ///   sends requests without a token.
    package init(_ read: @escaping @Sendable () async throws -> String?) { self.read = read }

    /// Returns a provider of a constant token.
    package static func value(_ token: String) -> TokenProvider { TokenProvider { token } }
}
