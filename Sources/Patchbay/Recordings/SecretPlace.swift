import NetworkingRecording
import PatchbayCore
import PatchbayNetworking

/// The place of a secret in an entry of a recording.
struct SecretPlace: CustomStringConvertible {
    let description: String

    /// Nil when the text contains no secret recognisable by name or shape, or only placeholders.
    init?(of text: RecordedText) {
        guard let offset = Self.offset(in: text) else { return nil }
        switch text.kind {
        case .field(let name), .cookie(let name), .parameter(let name):
            description = "\(text.place) \"\(Self.harmless(name))\""
        case .body, .other: description = "\(Self.harmless(text.place)) byte \(offset)"
        }
    }

    private static let filter = SecretFilter()

    private static func offset(in text: RecordedText) -> Int? {
        switch text.kind {
        case .field(let name), .cookie(let name), .parameter(let name):
            if hasSecret(name) { return 0 }
        case .body, .other: break
        }
        let isSecretByName =
            switch text.kind {
            case .field(let name) where text.place == "request.headers": SecretNames.mayBeSecret(field: name)
            case .field(let name): SecretNames.isSecret(field: name)
            case .parameter(let name): SecretNames.isSecret(parameter: name)
            case .cookie: true
            case .body, .other: false
            }
        if isSecretByName { return isPlaceholder(text.bytes[...]) ? nil : 0 }
        let mediaType = if case .body(let mediaType) = text.kind { mediaType } else { "" }
        let secrets = filter.secrets(in: text.bytes, mediaType: mediaType)
        return secrets.first { !isPlaceholder(text.bytes[$0]) }?.lowerBound
    }

    /// Whether this is a placeholder for a secret, or empty.
    private static func isPlaceholder(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.allSatisfy({ "*xX.-_ ".utf8.contains($0) }) { return true }
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        return ["redacted", "removed", "filtered", "hidden", "placeholder"].contains(where: text.contains)
    }

    /// A name from the file, which may be anything, even a secret.
    private static func harmless(_ name: String) -> String {
        hasSecret(name) ? "..." : String(name.prefix(100))
    }

    private static func hasSecret(_ name: String) -> Bool { !filter.secrets(in: Array(name.utf8)).isEmpty }
}
