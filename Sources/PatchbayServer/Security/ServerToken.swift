import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// The tokens that clients may send: that of the server, for its owner, and those of single clients.
struct ServerTokens: Sendable {
    /// The holder of a token.
    enum Holder: Hashable, Sendable {
        case owner
        case client(String)
    }

    private let tokens: [(holder: Holder, bytes: [UInt8])]

    init(_ options: ServerOptions) {
        tokens =
            (options.token.map { [(.owner, Array($0.utf8))] } ?? [])
            + options.clients.map { (.client($0.name), Array($0.token.utf8)) }
    }

    /// Removes tokens from both fields that may contain one, so that they are never forwarded; returns whose token the
    /// client has shown.
    ///
    /// `Patchbay-Token` leaves `Authorization` to the credentials for the source's server. Clients that can only send
    /// `Authorization` send the token there, as `Bearer`, `token` or the password of `Basic`. If both are present,
    /// `Patchbay-Token` decides.
    func take(from fields: inout HTTPFields) -> Holder? {
        let own = fields.contains(.patchbayToken) ? fields[values: .patchbayToken] : []
        fields[.patchbayToken] = nil
        var authorized: Holder?
        if fields.contains(.authorization) {
            let values = fields[values: .authorization]
            let holders = values.map { Self.credentials(in: $0).flatMap(holder) }
            authorized = holders.lazy.compactMap(\.self).first
            if authorized != nil {
                fields[values: .authorization] = zip(values, holders).filter { $1 == nil }.map(\.0)
            }
        }
        return own.isEmpty ? authorized : own.count == 1 ? holder(of: Array(own[0].utf8)) : nil
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

    /// Compares with every token in a time that depends only on lengths, so that the time reveals nothing about them.
    private func holder(of shown: [UInt8]) -> Holder? {
        guard !shown.isEmpty else { return nil }
        var found: Holder?
        for (holder, token) in tokens {
            var difference: UInt8 = shown.count == token.count ? 0 : 1
            for place in token.indices { difference |= token[place] ^ shown[place % shown.count] }
            if difference == 0 { found = holder }
        }
        return found
    }
}
