import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// The token that clients must send.
struct ServerToken: Sendable {
    private let token: [UInt8]

    init(_ token: String) { self.token = Array(token.utf8) }

    /// Removes the token from a request's fields, if it is right; false when it is missing or wrong.
    ///
    /// `Patchbay-Token` leaves `Authorization` to the credentials for the source's server. Clients that can only send
    /// `Authorization` send the token there, as `Bearer`, `token` or the password of `Basic`.
    func take(from fields: inout HTTPFields) -> Bool {
        let own = fields[.patchbayToken].map { Array($0.utf8) }
        guard let shown = own ?? fields[.authorization].flatMap(Self.credentials), isEqual(shown) else {
            return false
        }
        fields[own == nil ? .authorization : .patchbayToken] = nil
        return true
    }

    private static func credentials(in field: String) -> [UInt8]? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer", "token": return Array(parts[1].utf8)
        case "basic":
            guard let text = Base64.decoded(Array(parts[1].utf8)), let colon = text.firstIndex(of: 0x3A)
            else {
                return nil
            }
            return Array(text[(colon + 1)...])
        default: return nil
        }
    }

    /// Compares in a time that depends only on lengths, so that the time reveals nothing about the token.
    private func isEqual(_ shown: [UInt8]) -> Bool {
        guard !shown.isEmpty else { return false }
        var difference: UInt8 = shown.count == token.count ? 0 : 1
        for place in token.indices { difference |= token[place] ^ shown[place % shown.count] }
        return difference == 0
    }
}
