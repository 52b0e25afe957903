import PatchbayCore

/// An address of a page that is safe to open in a browser: `http` or `https`, without anything that a shell or a reader
/// could misinterpret.
///
/// A user's blog address is untrusted text: it may contain another scheme, a name before the host that makes one host
/// look like another, or control characters.
package struct WebAddress: Hashable, Sendable {
    /// The maximum length of an address, in bytes.
    package static let bytesMax = 2_000

    /// The address with its scheme.
    package let text: String

    /// Reads an address; one without a scheme is taken to be `https`, as browsers do.
    ///
    /// - Returns: nil for an empty text, another scheme, a user name or password before the host, a character that does
    ///   not belong in an address (RFC 3986, section 2), or more than ``bytesMax`` bytes.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        let lowered = text.lowercased()
        let scheme = ["http://", "https://"].first { lowered.hasPrefix($0) }
        // A colon before the first slash ends another scheme, or precedes a port in an address without a scheme.
        if scheme == nil, text.prefix(while: { $0 != "/" }).contains(":") { return nil }
        let rest = text.dropFirst(scheme?.count ?? 0)
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count).dropFirst()
        guard !authority.contains("@"), host.first?.isLetter == true || host.first?.isNumber == true,
            scheme != nil || host.contains("."), port.allSatisfy(\.isNumber)
        else { return nil }
        self.text = (scheme == nil ? "https://" : "") + text
    }

    /// Letters, digits and the punctuation of an address, in ASCII; no quotes, white space or backslash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~:/?#@!$&()*+,;=%".utf8.contains(byte)
    }
}
