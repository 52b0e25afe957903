import HTTPTypes
import PatchbayCore

/// The age and lifetime of an answer (RFC 9111, section 4.2).
///
/// Only times that the server states count; there is no heuristic lifetime. The age of an answer that was received in
/// the future, according to the clock of now, is unknown, and such an answer is stale.
struct Freshness: Sendable {
    /// The age in seconds of an answer whose age is unknown: the largest one that a cache needs to distinguish.
    static let unknownAge = CacheDirectives.secondsMax

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

    init(_ fields: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) {
        directives = CacheDirectives(fields)
        isPrivate = directives.has("private")
        isNeverFresh = directives.has("no-cache")
        let date = fields[.date].flatMap(Timestamp.init(httpDate:))
        let shared = isPrivate ? nil : directives.seconds("s-maxage")
        lifetime = shared ?? directives.seconds("max-age") ?? Self.lifetime(fields, date ?? receivedAt)
        let apparent = date.map { receivedAt.milliseconds(since: $0) } ?? 0
        let delay = receivedAt.milliseconds(since: requestedAt)
        initialAge = max(apparent, (Int64(Self.age(fields)) * 1_000).addingClamped(delay))
        self.receivedAt = receivedAt
    }

    /// The seconds until `Expires`; 0 without the field or when it is not a date.
    private static func lifetime(_ fields: HTTPFields, _ date: Timestamp) -> Int {
        guard let expires = fields[.expires].flatMap(Timestamp.init(httpDate:)) else { return 0 }
        return min(CacheDirectives.secondsMax, Int(expires.milliseconds(since: date) / 1_000))
    }

    /// The first number of `Age`; 0 when it is not a number.
    private static func age(_ fields: HTTPFields) -> Int {
        let first = fields[.age]?.prefix { $0 != "," } ?? ""
        return CacheDirectives.seconds(in: first.filter { $0 != " " }) ?? 0
    }

    /// The age in whole seconds; ``unknownAge`` when the answer was received in the future.
    func age(at now: Timestamp) -> Int {
        if receivedAt > now { return Self.unknownAge }
        let age = initialAge.addingClamped(now.milliseconds(since: receivedAt)) / 1_000
        return Int(min(Int64(Self.unknownAge), age))
    }

    /// The remaining lifetime in seconds; negative for a stale answer.
    func secondsLeft(at now: Timestamp) -> Int {
        let left = lifetime - age(at: now)
        return isNeverFresh || receivedAt > now ? min(0, left) : left
    }

    /// Whether the server forbids the use of a stale answer that it cannot confirm.
    var forbidsStale: Bool {
        if directives.has("must-revalidate") || isNeverFresh { return true }
        return !isPrivate && (directives.has("proxy-revalidate") || directives.has("s-maxage"))
    }

    /// Whether the answer may be used in place of an error of the server (RFC 5861, section 4); without a stated time,
    /// at any age.
    func isUsableAfterError(at now: Timestamp) -> Bool {
        guard !forbidsStale else { return false }
        return directives.seconds("stale-if-error").map { secondsLeft(at: now) + $0 > 0 } ?? true
    }

    /// Whether the answer may be used during its revalidation (RFC 5861, section 3).
    func isUsableWhileRevalidating(at now: Timestamp) -> Bool {
        guard !forbidsStale, receivedAt <= now, let window = directives.seconds("stale-while-revalidate")
        else {
            return false
        }
        return secondsLeft(at: now) + window > 0
    }
}

extension Timestamp {
    /// The milliseconds since an earlier time; 0 since a later one. Stored times may have any value.
    fileprivate func milliseconds(since earlier: Timestamp) -> Int64 {
        max(0, milliseconds.addingClamped(0 - max(earlier.milliseconds, -.max)))
    }
}
