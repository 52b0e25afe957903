import HTTPTypes
import PatchbayCore

/// The path and the query of a request, decoded exactly.
struct RequestTarget: Sendable {
    /// The segments after `/-/`.
    let segments: [String]
    let query: [(name: String, value: String)]
    /// The path as the client wrote it, without the query.
    let path: String

    /// The maximum length of a path with its query.
    static let bytesMax = 16_384
    /// The maximum number of query parameters.
    static let parametersMax = 64

    /// The first segment of every path of the API.
    static let prefix = "/-/"

    /// Whether a request's target belongs to the API: `/-` or a path below it.
    static func isOurs(_ target: String?) -> Bool {
        guard let target, target.hasPrefix("/-") else { return false }
        return [nil, "/", "?"].contains(target.dropFirst(2).first)
    }

    /// - Throws: `Problem` when the target is not a path of the API, is too long, or does not decode to UTF-8 without
    ///   U+0000.
    init(_ target: String) throws(Problem) {
        guard target.utf8.count <= Self.bytesMax else {
            throw Problem(
                .badRequest, .invalidValue, "the path with its query is longer than \(Self.bytesMax) bytes")
        }
        guard target.isVisibleASCII, !target.utf8.contains(UInt8(ascii: "#")) else {
            throw Problem(
                .badRequest, .invalidValue,
                "the path contains characters that are not allowed in a path; percent-encode them (%20)")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        guard path.hasPrefix(Self.prefix) else {
            throw Problem.notFound(
                "\"\(path)\" is not a path of the API; its paths start with \(Self.prefix)")
        }
        var segments: [String] = []
        let rest = parts[0].dropFirst(Self.prefix.utf8.count)
        for segment in rest.split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try Self.decoded(segment.utf8, plusIsSpace: false, of: "the path"))
        }
        self.segments = segments
        query = try Self.parameters(of: parts.count > 1 ? parts[1] : "")
    }

    private static func parameters(of query: Substring) throws(Problem) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for pair in query.split(separator: "&") {
            guard parameters.count < parametersMax else {
                throw Problem(
                    .badRequest, .invalidValue, "the query has more than \(parametersMax) parameters")
            }
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decoded(parts[0].utf8, plusIsSpace: true, of: "the query")
            let value = parts.count > 1 ? parts[1] : ""
            parameters.append((name, try decoded(value.utf8, plusIsSpace: true, of: name)))
        }
        return parameters
    }

    private static func decoded(
        _ bytes: Substring.UTF8View, plusIsSpace: Bool, of place: String
    ) throws(Problem) -> String {
        guard let text = PercentEncoding.text(of: bytes, plusIsSpace: plusIsSpace) else {
            throw Problem(
                .badRequest, .invalidValue,
                "\(place) contains a percent sign without two hexadecimal digits, or bytes that are not UTF-8",
                parameter: place.hasPrefix("the ") ? nil : place)
        }
        guard !text.utf8.contains(0) else {
            throw Problem(
                .badRequest, .invalidValue, "\(place) contains U+0000, which cannot be stored; remove it",
                parameter: place.hasPrefix("the ") ? nil : place)
        }
        return text
    }
}
