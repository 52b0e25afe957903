public import HTTPTypes

/// When to come back, as `Retry-After` says it: in seconds or as a date (RFC 9110, section 10.2.3).
public enum RetryAfter: Hashable, Sendable {
    case delay(Duration)
    case date(Timestamp)

    /// The longest delay that is taken; a longer one counts as this.
    public static let delayMax = Duration.seconds(86_400)

    /// Nil without the field, or when it says neither.
    public init?(_ fields: HTTPFields) {
        guard let text = fields[.retryAfter] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More digits than an integer holds are more than a day.
            self = .delay(Int64(text).map { min(.seconds($0), RetryAfter.delayMax) } ?? RetryAfter.delayMax)
        } else if let date = Timestamp(httpDate: text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The time from the answer's own date on, so that this machine's clock does not matter.
    ///
    /// - Parameter now: what counts when the answer has no date.
    public func delay(from fields: HTTPFields, now: Timestamp) -> Duration {
        switch self {
        case .delay(let delay): delay
        case .date(let date): min(now.serverDelay(until: date, fields), RetryAfter.delayMax)
        }
    }
}

extension Timestamp {
    /// The time from an answer's `Date`, or from this moment when it has none, until a later moment of the
    /// server's clock; zero when that is past.
    public func serverDelay(until date: Timestamp, _ fields: HTTPFields) -> Duration {
        let answered = fields[.date].flatMap(Timestamp.init(httpDate:)) ?? self
        return answered.age(at: date)
    }
}
