import HTTPTypes
import PatchbayCore

/// How long an answer may be used, and how old it was when it came (RFC 9111, section 4.2).
///
/// Only what the server says counts: there is no guess for an answer that says nothing.
struct Freshness: Sendable {
    let directives: CacheDirectives
    /// Seconds from the moment the server made it.
    let lifetime: Int
    /// Its age in milliseconds when it came.
    private let initialAge: Int64
    private let receivedAt: Timestamp
    /// Whether it belongs to one client, so that rules for caches of several do not count.
    private let isPrivate: Bool

    init(_ fields: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) {
        directives = CacheDirectives(fields)
        isPrivate = directives.has("private")
        let date = fields[.date].flatMap(Timestamp.init(httpDate:))
        let shared = isPrivate ? nil : directives.seconds("s-maxage")
        lifetime = shared ?? directives.seconds("max-age") ?? Self.lifetime(fields, date ?? receivedAt)
        let apparent = date.map { max(0, receivedAt.milliseconds - $0.milliseconds) } ?? 0
        let delay = max(0, receivedAt.milliseconds - requestedAt.milliseconds)
        initialAge = max(apparent, Int64(Self.age(fields)) * 1_000 + delay)
        self.receivedAt = receivedAt
    }

    /// Seconds until `Expires`; none without it or when it is no date.
    private static func lifetime(_ fields: HTTPFields, _ date: Timestamp) -> Int {
        guard let expires = fields[.expires].flatMap(Timestamp.init(httpDate:)) else { return 0 }
        return max(0, Int((expires.milliseconds - date.milliseconds) / 1_000))
    }

    /// The first number of `Age`; 0 when it is none.
    private static func age(_ fields: HTTPFields) -> Int {
        let first = fields[.age]?.prefix { $0 != "," } ?? ""
        return CacheDirectives.seconds(in: first.filter { $0 != " " }) ?? 0
    }

    /// Its age in whole seconds.
    func age(at now: Timestamp) -> Int {
        Int(
            min(
                Int64(CacheDirectives.secondsMax),
                (initialAge + max(0, now.milliseconds - receivedAt.milliseconds)) / 1_000))
    }

    /// The seconds that it may still be used for; negative for one that is stale.
    func secondsLeft(at now: Timestamp) -> Int {
        directives.has("no-cache") ? min(0, lifetime - age(at: now)) : lifetime - age(at: now)
    }

    /// Whether it may be used without asking.
    func isFresh(at now: Timestamp) -> Bool { secondsLeft(at: now) > 0 }

    /// Whether the server forbids to use it when it is stale and the server cannot confirm it.
    var forbidsStale: Bool {
        if directives.has("must-revalidate") || directives.has("no-cache") { return true }
        return !isPrivate && (directives.has("proxy-revalidate") || directives.has("s-maxage"))
    }

    /// Whether it may be used while it is being confirmed (RFC 5861, section 3).
    func isUsableWhileRevalidating(at now: Timestamp) -> Bool {
        guard !forbidsStale, let window = directives.seconds("stale-while-revalidate") else { return false }
        return secondsLeft(at: now) + window > 0
    }

    /// Whether other clients may see it although it was asked with credentials (RFC 9111, section 3.5).
    var isForEverybody: Bool {
        !isPrivate && ["public", "s-maxage", "must-revalidate"].contains(where: directives.has)
    }
}
