package import PatchbayCore

/// The times at which requests were or will be sent under a pace: a sliding window in sixtieths of the period.
///
/// Only the number of requests in each part is kept. A part counts until the whole period has passed after its end, so
/// no period has more requests than the pace allows, and a full window becomes free up to one part later than
/// necessary.
struct PaceTurns: Hashable, Sendable {
    private static let partCount: Int64 = 60
    /// The longest wait for a turn that a configuration allows.
    private static let waitMax = Duration.seconds(86_400)
    /// The clocks of machines that share a storage agree within this time.
    private static let skewMax = Duration.seconds(5)

    /// The largest number that is read, because other programs can store any.
    private static let storedMax: Int64 = 1 << 48

    private struct Part: Hashable, Sendable {
        /// The number of the part since 1970.
        let number: Int64
        var count: Int64
    }

    /// In the order of their numbers.
    private var parts: [Part] = []
    /// When the newest turn was taken, which may be for a later time; nil if that is unknown.
    private var takenAt: Timestamp?

    /// The length of a part in milliseconds.
    private static func length(_ limit: Pacing.Limit) -> Int64 {
        let period = Int64(limit.period / .milliseconds(1))
        return max(1, (period + partCount - 1) / partCount)
    }

    /// The parts whose turns can be true. A clock that was ahead for a moment has left turns that no request waits for.
    private func believable(at now: Timestamp, _ length: Int64) -> [Part] {
        let isOfClockAhead = takenAt?.isImpossible(at: now, within: Self.skewMax) ?? false
        let latest = now.advanced(by: isOfClockAhead ? .zero : Self.waitMax).milliseconds / length
        return parts.filter { $0.number <= latest }
    }

    /// The earliest time, not before `now` and not before earlier turns, at which the limit allows a request.
    func next(under limit: Pacing.Limit, from now: Timestamp) -> Timestamp {
        let length = Self.length(limit)
        let known = believable(at: now, length)
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
    mutating func take(at time: Timestamp, under limit: Pacing.Limit, from now: Timestamp) {
        let length = Self.length(limit), number = time.milliseconds / length
        parts = believable(at: now, length).filter {
            $0.number <= number && $0.number >= number - Self.partCount
        }
        takenAt = now
        if parts.last?.number == number {
            parts[parts.count - 1].count += 1
        } else {
            parts.append(Part(number: number, count: 1))
        }
    }
}

extension PaceTurns {
    /// The numbers and counts of the parts, then the time when the newest turn was taken in milliseconds since 1970,
    /// with spaces between them.
    var text: String {
        let words = parts.map { "\($0.number) \($0.count)" } + (takenAt.map { ["\($0.milliseconds)"] } ?? [])
        return words.joined(separator: " ")
    }

    /// Reads ``text``; text of another form has no turns.
    init(_ text: String) {
        var words = text.split(separator: " ")
        if !words.count.isMultiple(of: 2) {
            takenAt = Int64(words.removeLast()).map {
                Timestamp(milliseconds: min(max($0, 0), Self.storedMax))
            }
        }
        let numbers = words.suffix(2 * Int(Self.partCount + 2)).map {
            min(max(Int64($0) ?? 0, 0), Self.storedMax)
        }
        for place in stride(from: 0, to: numbers.count - 1, by: 2) {
            parts.append(Part(number: numbers[place], count: numbers[place + 1]))
        }
    }
}

/// The newest turns under a pace, which processes that share a storage take together.
package struct StoredPace: Hashable, Sendable {
    var name = Name()
    var turns = PaceTurns()
    /// The time after which the turns no longer limit requests.
    var endsAt = Timestamp(milliseconds: 0)

    package init() {}

    init(name: Name, turns: PaceTurns, endsAt: Timestamp) {
        self.name = name
        self.turns = turns
        self.endsAt = endsAt
    }

    /// The name of a pace: each token has its own at each origin.
    struct Name: Hashable, Sendable {
        /// Scheme, host and port.
        var origin = ""
        /// The `TokenFingerprint`; empty without a token.
        var token = ""
        /// The limit, such as `60 in 3600 s of /users`.
        var limit = ""

        var key: Key { [.text(origin), .text(token), .text(limit)] }
    }
}

extension StoredPace: ColumnRecord {
    /// ``turns`` as text.
    private var turnsText: String {
        get { turns.text }
        set { turns = PaceTurns(newValue) }
    }

    static let origin = RecordColumn(0, "origin", \Self.name.origin)
    static let token = RecordColumn(1, "token", \Self.name.token)
    static let limit = RecordColumn(2, "pace", \Self.name.limit)

    package static let columns = [
        origin, token, limit, RecordColumn(3, "turns", \Self.turnsText),
        RecordColumn(4, "ends_at_ms", \Self.endsAt),
    ]

    /// The columns in a storage; the key is origin, token and pace.
    package static let collection = CollectionSchema(
        "request_paces", key: origin.position, token.position, limit.position, fields: fields)
}
