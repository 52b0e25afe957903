package import HTTPTypes

/// The rate limit that an answer's header reports, under any of the usual names: `X-RateLimit-Remaining`,
/// `RateLimit-Reset`, `x-rate-limit-limit`, `X-RateLimit-Requests-Reset`, `X-RateLimit-Reset-After`, and `RateLimit` in
/// both forms of its draft: `"default";r=0;t=20` and `limit=100, remaining=0, reset=20`.
///
/// If an answer reports several limits, the one with the fewest remaining requests is used.
package struct RateLimitReport: Hashable, Sendable {
    /// The number of requests allowed in one period.
    package var limit: Int64?
    /// The number of remaining requests.
    package var remaining: Int64?
    /// When the full budget is available again, by the server's clock.
    package var reset: RetryAfter?

    package init() {}

    package init(_ fields: HTTPFields) {
        var reports: [(family: Substring, report: RateLimitReport)] = []
        for field in fields {
            var name = field.name.canonicalName[...]
            if name == "ratelimit" {
                reports += RateLimitReport.items(field.value).map { ("", $0) }
                continue
            }
            if name.hasSuffix("-reset-after") { name = name.dropLast("-after".count) }
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

    /// The limits of a `RateLimit` field (draft-ietf-httpapi-ratelimit-headers). Each item is a limit with parameters;
    /// in the older form, all items describe one limit.
    private static func items(_ value: String) -> [RateLimitReport] {
        let items = value.split(separator: ",").map { item in
            item.split(separator: ";").map { $0.filter { $0 != " " }.split(separator: "=", maxSplits: 1) }
        }
        let isOlder = items.allSatisfy { $0.first?.count == 2 }
        return (isOlder ? [Array(items.joined())] : items).map { parameters in
            var report = RateLimitReport()
            for parameter in parameters where parameter.count == 2 {
                report.take(Self.words[String(parameter[0])] ?? "", String(parameter[1]))
            }
            return report
        }
    }

    private static let words: [String: Substring] = [
        "limit": "limit", "remaining": "remaining", "reset": "reset", "r": "remaining", "t": "reset",
    ]

    /// Whether a header's name up to its last hyphen is that of a rate limit.
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

    /// The number at the start of a value: `100, 100;w=60`, `99.0`.
    private static func count(_ value: String) -> Int64? {
        Int64(value.prefix { $0.isASCII && $0.isNumber })
    }
}

/// What the body of an answer states about rate limits.
package struct BodyLimit: Sendable {
    /// The wait that it asks for before the next request; nil when it states none.
    package var wait: RetryAfter?
    /// Whether it refuses the request because of a limit, whatever the status is.
    package var isRefusal: Bool

    /// Creates the statement of a body.
    package init(wait: RetryAfter?, isRefusal: Bool) {
        self.wait = wait
        self.isRefusal = isRefusal
    }
}

/// A wait for a rate limit that is about to begin.
public struct RateLimitWait: Hashable, Sendable {
    /// The server's name, with its port if the address contains one.
    public let server: String
    /// The length of the wait.
    public let duration: Duration

    /// Creates the value that a rate limit passes to its `waiting` callback before it waits.
    package init(server: String, duration: Duration) {
        self.server = server
        self.duration = duration
    }
}
