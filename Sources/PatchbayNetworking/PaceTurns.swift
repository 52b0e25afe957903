package import PatchbayCore

/// The times at which requests were or will be sent under a pace: a sliding window in sixtieths of the period.
///
/// Only the number of requests in each part is kept. A part counts until the whole period has passed after its end, so
/// no period has more requests than the pace allows, and a full window becomes free up to one part later than
/// necessary.
struct PaceTurns: Hashable, Sendable {
    private static let partCount: Int64 = 60
    /// A turn further ahead was taken by a clock that has been set back since.
    private static let aheadMax = Int64(2 * 86_400_000)

    /// The largest number that is read, because other programs can store any.
    private static let storedMax: Int64 = 1 << 48

    private struct Part: Hashable, Sendable {
        /// The number of the part since 1970.
        let number: Int64
        var count: Int64
    }

    /// In the order of their numbers.
    private var parts: [Part] = []

    /// The length of a part in milliseconds.
    private static func length(_ limit: Pacing.Limit) -> Int64 {
        let period = Int64(limit.period / .milliseconds(1))
        return max(1, (period + partCount - 1) / partCount)
    }

    /// The earliest time, not before `now` and not before earlier turns, at which the limit allows a request.
    func next(under limit: Pacing.Limit, from now: Timestamp) -> Timestamp {
        let length = Self.length(limit)
        let known = parts.filter { $0.number <= (now.milliseconds + Self.aheadMax) / length }
        var number = max(now.milliseconds / length, known.last?.number ?? 0)
        var recent = known.filter { $0.number >= number - Self.partCount }[...]
        var count = recent.reduce(0) { $0 + $1.count }
        while count >= limit.requests, let oldest = recent.popFirst() {
            count -= oldest.count
            number = max(number, oldest.number + Self.partCount + 1)
        }
        return max(now, Timestamp(milliseconds: number * length))
    }

    /// Records a turn at a time that ``next(under:from:)`` returned, or later.
    mutating func take(at time: Timestamp, under limit: Pacing.Limit) {
        let number = time.milliseconds / Self.length(limit)
        parts.removeAll { $0.number > number || $0.number < number - Self.partCount }
        if parts.last?.number == number {
            parts[parts.count - 1].count += 1
        } else {
            parts.append(Part(number: number, count: 1))
        }
    }
}

extension PaceTurns {
    /// The numbers and counts of the parts with spaces between them.
    var text: String { parts.map { "\($0.number) \($0.count)" }.joined(separator: " ") }

    /// Reads ``text``; text of another form has no turns.
    init(_ text: String) {
        let numbers = text.split(separator: " ").suffix(2 * Int(Self.partCount + 2)).map {
            min(max(Int64($0) ?? 0, 0), Self.storedMax)
        }
        for place in stride(from: 0, to: numbers.count - 1, by: 2) {
            parts.append(Part(number: numbers[place], count: numbers[place + 1]))
        }
    }
}

/// The newest turns under a pace, which processes that share a storage take together.
package struct StoredPace: Hashable, Sendable {
    let name: Name
    var turns: PaceTurns
    /// The time after which the turns no longer limit requests.
    var endsAt: Timestamp

    /// The name of a pace: each token has its own at each origin.
    struct Name: Hashable, Sendable {
        /// Scheme, host and port.
        let origin: String
        /// The `TokenFingerprint`; empty without a token.
        let token: String
        /// The limit, such as `60 in 3600 s of /users`.
        let limit: String

        var key: Key { [.text(origin), .text(token), .text(limit)] }
    }
}

extension StoredPace: StoredRecord {
    static let origin = RowColumn<String>(0, "origin")
    static let token = RowColumn<String>(1, "token")
    static let limit = RowColumn<String>(2, "pace")
    static let turns = RowColumn<String>(3, "turns")
    static let endsAt = RowColumn<Timestamp>(4, "ends_at_ms")

    /// The columns in a storage; the key is origin, token and pace.
    package static let collection = CollectionSchema(
        "request_paces", key: origin.position, token.position, limit.position,
        fields: [origin.field, token.field, limit.field, turns.field, endsAt.field])

    /// Reads a stored pace.
    package init(_ row: borrowing RowView) {
        name = Name(origin: row[Self.origin], token: row[Self.token], limit: row[Self.limit])
        turns = PaceTurns(row[Self.turns])
        endsAt = row[Self.endsAt]
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        row[Self.origin] = name.origin
        row[Self.token] = name.token
        row[Self.limit] = name.limit
        row[Self.turns] = turns.text
        row[Self.endsAt] = endsAt
    }
}
