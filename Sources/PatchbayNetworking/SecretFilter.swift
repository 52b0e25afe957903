import HTTPTypes
import PatchbayCore

/// Replaces secrets by a fixed word, which needs no escape in JSON, headers and addresses.
///
/// It knows secrets by their place (`SecretNames`, header fields), by their shape (tokens of GitHub and Slack, JWT,
/// `Bearer` and `Basic` credentials) and by their bytes: those it was given, also in base64 and percent-encoded.
///
/// What it cannot know: a secret without a shape in a place that has no such name.
public struct SecretFilter: Sendable {
    /// What stands in the place of a secret.
    static let placeholder = "REDACTED"

    /// Spellings of the secrets that were given, by their first bytes.
    private let spellings: [[UInt8]]
    /// The bytes that a secret, or what comes before one, may begin with.
    private let isStart: [Bool]

    /// - Parameter secrets: texts that must not appear, 8 bytes or longer; shorter ones would stand in much that is
    ///   none.
    public init(secrets: [String] = []) {
        spellings = Array(Set(secrets.flatMap(SecretSpelling.all))).sorted { $0.count > $1.count }
        var isStart = [Bool](repeating: false, count: 256)
        for byte in SecretShape.starts { isStart[Int(byte)] = true }
        for spelling in spellings { isStart[Int(spelling[0])] = true }
        self.isStart = isStart
    }

    func cleaned(_ text: String) -> String { String(decoding: cleaned(Array(text.utf8)), as: UTF8.self) }

    /// - Parameter isForm: whether the text is `name=value&...` from its first byte on.
    func cleaned(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        var copied = 0
        for secret in secrets(in: bytes, isForm: isForm) {
            output.append(contentsOf: bytes[copied..<secret.lowerBound])
            output.append(contentsOf: SecretFilter.placeholder.utf8)
            copied = secret.upperBound
        }
        guard copied > 0 else { return bytes }
        output.append(contentsOf: bytes[copied...])
        return output
    }

    /// Where secrets stand, or what somebody put in the place of one; in order, none inside another.
    ///
    /// - Parameter isForm: whether the text is `name=value&...` from its first byte on.
    public func secrets(in bytes: [UInt8], isForm: Bool = false) -> [Range<Int>] {
        var secrets: [Range<Int>] = []
        if isForm, let secret = SecretShape.parameter(in: bytes, at: 0) { secrets.append(secret) }
        var index = secrets.first?.upperBound ?? 0
        var stops = SecretStops()
        while index < bytes.count {
            if isStart[Int(bytes[index])], let secret = secret(in: bytes, at: index, &stops) {
                secrets.append(secret)
                index = secret.upperBound
            } else {
                index += 1
            }
        }
        return secrets
    }

    /// The fields with what is secret in them replaced; a field that is a secret by its name as a whole.
    func cleaned(_ fields: HTTPFields) -> HTTPFields {
        var output = HTTPFields()
        for field in fields {
            let isSecret = SecretNames.isSecret(field: field.name.canonicalName)
            let value = isSecret ? SecretFilter.placeholder : cleaned(field.value)
            output.append(HTTPField(name: field.name, value: value))
        }
        return output
    }

    private func secret(in bytes: [UInt8], at index: Int, _ stops: inout SecretStops) -> Range<Int>? {
        for spelling in spellings where bytes[index...].starts(with: spelling) {
            return index..<(index + spelling.count)
        }
        return SecretShape.secret(in: bytes, at: index, &stops)
    }
}
