import HTTPTypes
import PatchbayJSON

/// Compares two recorded answers to the same request.
enum AnswerDifference {
    /// Returns the first difference as text; nil when the answers are equal.
    static func words(_ left: RecordedAnswer, _ right: RecordedAnswer) -> String? {
        if left.status != right.status { return "status: \(left.status), \(right.status)" }
        return body(left, right) ?? headers(left.headerFields, right.headerFields)
    }

    private static func body(_ left: RecordedAnswer, _ right: RecordedAnswer) -> String? {
        switch (left.body, right.body) {
        case (.failure, .failure): return nil
        case (.failure, _): return "body: it was recorded only in the second"
        case (_, .failure): return "body: it was recorded only in the first"
        case (.success(let left), .success(let right)):
            if left == right { return nil }
            // Bodies that are not JSON are compared byte by byte.
            guard let first = try? JSONValue(left), let second = try? JSONValue(right) else {
                let place = zip(left, right).prefix { $0 == $1 }.count
                return "body: byte \(place)"
            }
            return first.difference(from: second).map { "body: " + $0 }
        }
    }

    private static func headers(_ left: HTTPFields, _ right: HTTPFields) -> String? {
        let (left, right) = (values(left), values(right))
        let names = Set(left.keys).union(right.keys)
        return names.filter { left[$0] != right[$0] }.min().map { "header: \($0)" }
    }

    /// The values of each header in order, without volatile headers.
    private static func values(_ fields: HTTPFields) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for field in fields where !isVolatile(field.name.canonicalName) {
            values[field.name.canonicalName, default: []].append(field.value)
        }
        return values
    }

    /// Whether a header may differ between equal answers: dates, rate limits, caches, identifiers of servers and
    /// requests.
    private static func isVolatile(_ name: String) -> Bool {
        volatileNames.contains(name) || volatilePrefixes.contains(where: name.hasPrefix)
    }

    private static let volatilePrefixes = ["x-ratelimit-", "x-cache", "cf-", "x-fastly-", "x-amz-"]
    private static let volatileNames: Set<String> = [
        "age", "connection", "content-md5", "date", "expires", "github-authentication-token-expiration",
        "keep-alive", "nel", "report-to", "server", "server-timing", "set-cookie", "x-github-request-id",
        "x-request-id", "x-runtime", "x-runtime-rack", "x-served-by", "x-timer", "via",
    ]
}
