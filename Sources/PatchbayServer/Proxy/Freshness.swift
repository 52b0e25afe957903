import HTTPTypes
import PatchbayCore

/// The age and lifetime of an answer (RFC 9111, section 4.2).
///
/// Only times that the server states count; there is no heuristic lifetime.
struct Freshness: Sendable {
    let directives: CacheDirectives
    /// The lifetime in seconds, from the creation of the answer.
    let lifetime: Int
    /// The age in milliseconds when the answer was received.
    private let initialAge: Int64
    private let receivedAt: Timestamp
    /// Whether the answer belongs to one client, so that rules for shared caches do not apply.
    private let isPrivate: Bool
    /// Whether every use must be confirmed.
    private let isNeverFresh: Bool
    /// Whether other clients may see the answer although the request had credentials (RFC 9111, section 3.5).
    let isForEverybody: Bool

    init(_ fields: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) {
        directives = CacheDirectives(fields)
        isPrivate = directives.has("private")
        isNeverFresh = directives.has("no-cache")
        isForEverybody =
            !isPrivate && ["public", "s-maxage", "must-revalidate"].contains(where: directives.has)
        let date = fields[.date].flatMap(Timestamp.init(httpDate:))
        let shared = isPrivate ? nil : directives.seconds("s-maxage")
        lifetime = shared ?? directives.seconds("max-age") ?? Self.lifetime(fields, date ?? receivedAt)
        let apparent = date.map { max(0, receivedAt.milliseconds - $0.milliseconds) } ?? 0
        let delay = max(0, receivedAt.milliseconds - requestedAt.milliseconds)
        initialAge = max(apparent, Int64(Self.age(fields)) * 1_000 + delay)
        self.receivedAt = receivedAt
    }

    /// The seconds until `Expires`; 0 without the field or when it is not a date.
    private static func lifetime(_ fields: HTTPFields, _ date: Timestamp) -> Int {
        guard let expires = fields[.expires].flatMap(Timestamp.init(httpDate:)) else { return 0 }
        return max(0, Int((expires.milliseconds - date.milliseconds) / 1_000))
    }

    /// The first number of `Age`; 0 when it is not a number.
    private static func age(_ fields: HTTPFields) -> Int {
        let first = fields[.age]?.prefix { $0 != "," } ?? ""
        return CacheDirectives.seconds(in: first.filter { $0 != " " }) ?? 0
    }

    /// The age in whole seconds.
    func age(at now: Timestamp) -> Int {
        Int(
            min(
                Int64(CacheDirectives.secondsMax),
                (initialAge + max(0, now.milliseconds - receivedAt.milliseconds)) / 1_000))
    }

    /// The remaining lifetime in seconds; negative for a stale answer.
    func secondsLeft(at now: Timestamp) -> Int {
        isNeverFresh ? min(0, lifetime - age(at: now)) : lifetime - age(at: now)
    }

    /// Whether the answer may be used without revalidation.
    func isFresh(at now: Timestamp) -> Bool { secondsLeft(at: now) > 0 }

    /// Whether the server forbids the use of a stale answer that it cannot confirm.
    var forbidsStale: Bool {
        if directives.has("must-revalidate") || isNeverFresh { return true }
        return !isPrivate && (directives.has("proxy-revalidate") || directives.has("s-maxage"))
    }

    /// Whether the answer may be used during its revalidation (RFC 5861, section 3).
    func isUsableWhileRevalidating(at now: Timestamp) -> Bool {
        guard !forbidsStale, let window = directives.seconds("stale-while-revalidate") else { return false }
        return secondsLeft(at: now) + window > 0
    }
}
