package import HTTPTypes

/// What an answer's header reports of a rate limit, under any of the usual names: `X-RateLimit-Remaining`,
/// `RateLimit-Reset`, `x-rate-limit-limit`, `X-RateLimit-Requests-Reset`.
///
/// Of several limits in one answer the one with the least left counts.
package struct RateLimitReport: Hashable, Sendable {
    /// How many requests are allowed in one period.
    package var limit: Int64?
    /// How many of them are left.
    package var remaining: Int64?
    /// When all are there again, by the server's clock.
    package var reset: RetryAfter?

    package init() {}

    package init(_ fields: HTTPFields) {
        var reports: [(family: Substring, report: RateLimitReport)] = []
        for field in fields {
            let name = field.name.canonicalName
            guard let dash = name.lastIndex(of: "-"), RateLimitReport.isAboutLimits(name[...dash]) else {
                continue
            }
            let place = reports.firstIndex { $0.family == name[..<dash] } ?? reports.endIndex
            if place == reports.endIndex { reports.append((name[..<dash], RateLimitReport())) }
            reports[place].report.take(name[dash...].dropFirst(), field.value)
        }
        self =
            reports.min { ($0.report.remaining ?? .max) < ($1.report.remaining ?? .max) }?.report ?? .init()
    }

    /// Whether the beginning of a header's name, up to its last hyphen, is that of a rate limit.
    private static func isAboutLimits(_ beginning: Substring) -> Bool {
        beginning.contains("ratelimit-") || beginning.contains("rate-limit-")
    }

    private mutating func take(_ word: Substring, _ value: String) {
        switch word {
        case "limit": limit = RateLimitReport.count(value)
        case "remaining": remaining = RateLimitReport.count(value)
        case "reset": reset = RetryAfter(value)
        default: break
        }
    }

    /// The number that a value begins with: `100, 100;w=60`, `99.0`.
    private static func count(_ value: String) -> Int64? {
        Int64(value.prefix { $0.isASCII && $0.isNumber })
    }
}
