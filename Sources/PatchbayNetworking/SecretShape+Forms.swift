import PatchbayCore

extension SecretShape {
    /// Returns the values in a form whose names mark them as secret and are not where ``secret(in:at:_:)`` finds them:
    /// of the first parameter of a form, and of the parts of a multipart form.
    static func values(in bytes: [UInt8], mediaType: String) -> [Range<Int>] {
        let type = mediaType.lowercased()
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return parameter(in: bytes, at: 0).map { [$0] } ?? []
        }
        guard type.hasPrefix("multipart/form-data"),
            let boundary = mediaType.firstMatch(of: /(?i);\s*boundary="?([^";]+)/)?.output.1
        else { return [] }
        return values(in: bytes, between: Array("--\(boundary)".utf8))
    }

    /// The values of the secret parts between delimiters (RFC 7578); the last part may be cut off.
    private static func values(in bytes: [UInt8], between delimiter: [UInt8]) -> [Range<Int>] {
        let delimiters = bytes.ranges(of: delimiter)
        let ends = delimiters.dropFirst().map { $0.lowerBound - 2 } + [bytes.count]
        return zip(delimiters, ends).compactMap { delimiter, end in
            guard delimiter.upperBound < end,
                let blank = bytes[delimiter.upperBound..<end].firstRange(of: "\r\n\r\n".utf8),
                blank.upperBound < end,
                case let head = String(
                    decoding: bytes[delimiter.upperBound..<blank.lowerBound], as: UTF8.self),
                let name = head.firstMatch(of: /(?i)[;\s]name="?([^";\r\n]+)/)?.output.1,
                SecretNames.isSecret(parameter: name)
            else { return nil }
            return blank.upperBound..<end
        }
    }
}
