package import HTTPTypes
import PatchbayCore

/// Replaces secrets by the word `REDACTED`, which needs no escaping in JSON, headers and addresses.
///
/// It recognizes secrets by their place (`SecretNames`, header fields), by their shape (tokens of GitHub, GitLab, Slack
/// and AWS, JWT, `Bearer` and `Basic` credentials, passwords in addresses) and, for configured secrets, by their bytes
/// in every spelling.
///
/// The word for an unknown JSON Web Token ends with the token's fingerprint, `REDACTED-0123456789`: some APIs use such
/// tokens as cursors, and the pages of a recording must remain distinct.
///
/// It cannot recognize a secret without a known shape in a place without a telling name.
package struct SecretFilter: Sendable {
    private let known: SecretSpellings
    /// The bytes with which a secret, or the text before it, may start.
    private let isStart: [Bool]

    /// - Parameter secrets: texts that must not appear; one of fewer than 8 bytes is removed only where it is a
    ///   separate word.
    package init(secrets: [String] = []) {
        known = SecretSpellings(secrets)
        var isStart = known.isStart
        for byte in SecretShape.starts { isStart[Int(byte)] = true }
        self.isStart = isStart
    }

    /// Returns the text without secrets.
    package func cleaned(_ text: String) -> String {
        String(decoding: cleaned(Array(text.utf8)), as: UTF8.self)
    }

    /// - Parameter mediaType: that of a body, because forms have the names of parameters in places of their own.
    func cleaned(_ bytes: [UInt8], mediaType: String = "") -> [UInt8] {
        Self.replacing(secrets(in: bytes, mediaType: mediaType), in: bytes) {
            placeholder(for: $0, in: bytes)
        }
    }

    private func placeholder(for secret: Range<Int>, in bytes: [UInt8]) -> String {
        guard known.secret(in: bytes, at: secret.lowerBound) == nil, SecretShape.isWebToken(bytes[secret])
        else { return SecretNames.placeholder }
        let fingerprint = TokenFingerprint(String(decoding: bytes[secret], as: UTF8.self))
        return "\(SecretNames.placeholder)-\(fingerprint)"
    }

    private static func replacing(
        _ secrets: [Range<Int>], in bytes: [UInt8], by placeholder: (Range<Int>) -> String
    ) -> [UInt8] {
        guard !secrets.isEmpty else { return bytes }
        var output: [UInt8] = []
        var copied = 0
        for secret in secrets {
            output.append(contentsOf: bytes[copied..<secret.lowerBound])
            output.append(contentsOf: placeholder(secret).utf8)
            copied = secret.upperBound
        }
        output.append(contentsOf: bytes[copied...])
        return output
    }

    /// Returns the ranges of secrets and of placeholders for them, in order and without overlap.
    ///
    /// - Parameter mediaType: that of a body, because forms have the names of parameters in places of their own.
    package func secrets(in bytes: [UInt8], mediaType: String = "") -> [Range<Int>] {
        var secrets: [Range<Int>] = []
        var values = SecretShape.values(in: bytes, mediaType: mediaType)[...]
        var nextValue = values.first?.lowerBound ?? .max
        var index = 0
        var stops = SecretStops()
        while index < bytes.count {
            if index >= nextValue {
                let end = values.removeFirst().upperBound
                if end > index { secrets.append(index..<end) }
                index = max(index, end)
                nextValue = values.first?.lowerBound ?? .max
            } else if isStart[Int(bytes[index])], let secret = secret(in: bytes, at: index, &stops) {
                secrets.append(secret)
                index = secret.upperBound
            } else {
                index += 1
            }
        }
        return secrets
    }

    private func secret(in bytes: [UInt8], at index: Int, _ stops: inout SecretStops) -> Range<Int>? {
        known.secret(in: bytes, at: index) ?? SecretShape.secret(in: bytes, at: index, &stops)
    }

    /// A filter that recognizes secrets by place and shape only.
    private static let shapes = SecretFilter()

    /// Whether a header field's name is or contains a secret.
    private func isSecret(name: HTTPField.Name) -> Bool {
        known.isSecret(field: name) || !Self.shapes.secrets(in: Array(name.rawName.utf8)).isEmpty
    }

    /// Returns the fields with their secrets replaced.
    ///
    /// - Parameter isSecret: whether the name of a field marks the whole value as secret.
    package func cleaned(
        _ fields: HTTPFields, where isSecret: (String) -> Bool = SecretNames.isSecret(field:)
    ) -> HTTPFields {
        mapping(fields) { field in
            if self.isSecret(name: field.name) { return (.redacted, cleaned(field.value)) }
            let isWhole = isSecret(field.name.canonicalName)
            return (field.name, isWhole ? SecretNames.placeholder : cleaned(field.value))
        }
    }
}

// MARK: - Known secrets only

extension SecretFilter {
    /// Returns the answer without the configured secrets. Text that only looks like a secret stays, because it may be
    /// data.
    func withoutKnownSecrets(_ response: Response) -> Response {
        guard !known.isEmpty else { return response }
        var response = response
        response.head.headerFields = mapping(response.head.headerFields) { field in
            (known.isSecret(field: field.name) ? .redacted : field.name, withoutKnownSecrets(field.value))
        }
        let status = response.head.status
        response.head.status = HTTPResponse.Status(
            code: status.code, reasonPhrase: withoutKnownSecrets(status.reasonPhrase))
        response.body = withoutKnownSecrets(response.body)
        return response
    }

    private func withoutKnownSecrets(_ text: String) -> String {
        String(decoding: withoutKnownSecrets(Array(text.utf8)), as: UTF8.self)
    }

    private func withoutKnownSecrets(_ bytes: [UInt8]) -> [UInt8] {
        Self.replacing(known.secrets(in: bytes), in: bytes) { _ in SecretNames.placeholder }
    }

    private func mapping(
        _ fields: HTTPFields, _ change: (HTTPField) -> (name: HTTPField.Name, value: String)
    ) -> HTTPFields {
        var output = HTTPFields()
        for field in fields {
            let (name, value) = change(field)
            output.append(HTTPField(name: name, value: value))
        }
        return output
    }
}

extension HTTPField.Name {
    /// The name of a field whose own name is a secret.
    fileprivate static let redacted = HTTPField.Name(SecretNames.placeholder)!
}
