import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// The token that clients must send.
struct ServerToken: Sendable {
    private let token: [UInt8]

    init(_ token: String) { self.token = Array(token.utf8) }

    /// Removes the token from both fields that may contain it, so that it is never forwarded; returns whether the
    /// client has shown it.
    ///
    /// `Patchbay-Token` leaves `Authorization` to the credentials for the source's server. Clients that can only send
    /// `Authorization` send the token there, as `Bearer`, `token` or the password of `Basic`. If both are present,
    /// `Patchbay-Token` decides.
    func take(from fields: inout HTTPFields) -> Bool {
        let own = fields.contains(.patchbayToken) ? fields[values: .patchbayToken] : []
        fields[.patchbayToken] = nil
        var isInAuthorization = false
        if fields.contains(.authorization) {
            let values = fields[values: .authorization], others = values.filter { !isToken(in: $0) }
            isInAuthorization = others.count < values.count
            if isInAuthorization { fields[values: .authorization] = others }
        }
        return own.isEmpty ? isInAuthorization : own.count == 1 && isEqual(Array(own[0].utf8))
    }

    private func isToken(in field: String) -> Bool { Self.credentials(in: field).map(isEqual) ?? false }

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
