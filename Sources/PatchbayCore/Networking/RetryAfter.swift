package import HTTPTypes

/// When to retry, as `Retry-After` states it: in seconds or as a date (RFC 9110, section 10.2.3). Some APIs send the
/// time as a number, and the reset of a rate limit is written in all of these forms.
package enum RetryAfter: Hashable, Sendable {
    /// A time after the answer.
    case delay(Duration)
    /// A point in time of the server's clock.
    case date(Timestamp)

    /// The maximum delay; longer ones are reduced to it.
    package static let delayMax = Duration.seconds(86_400)

    /// Nil without the field, or when it is neither a number nor a date.
    package init?(_ fields: HTTPFields) {
        guard let text = fields[.retryAfter] else { return nil }
        // A number that is too large for a time is more than a day.
        guard let read = RetryAfter(text) ?? (text.isDigits ? .delay(RetryAfter.delayMax) : nil) else {
            return nil
        }
        self = read
    }

    /// Reads a time or a delay by its form: a number above 10^12 is in milliseconds since 1970, one above 10^9 in
    /// seconds since 1970, any other in seconds from now; a text is an HTTP date or ISO 8601. A fraction of a number is
    /// rounded up.
    ///
    /// Nil for anything else, and for a time after the year 9999.
    package init?(_ text: String) {
        guard text.isDigits else {
            if let whole = text.roundedUp {
                self.init(whole)
                return
            }
            guard let date = Timestamp(httpDate: text) ?? Timestamp(text) else { return nil }
            self = .date(date)
            return
        }
        switch Int64(text) {
        case let milliseconds? where milliseconds > 1_000_000_000_000:
            guard milliseconds <= 253_402_300_799_000 else { return nil }
            self = .date(Timestamp(milliseconds: milliseconds))
        case let seconds? where seconds > 1_000_000_000:
            guard seconds <= 253_402_300_799 else { return nil }
            self = .date(Timestamp(milliseconds: seconds * 1_000))
        case let seconds?: self = .delay(min(.seconds(seconds), RetryAfter.delayMax))
        case nil: return nil
        }
    }

    /// The delay from the answer's own date, so that this machine's clock does not matter.
    ///
    /// - Parameter now: the start when the answer has no date.
    package func delay(from fields: HTTPFields, now: Timestamp) -> Duration {
        switch self {
        case .delay(let delay): delay
        case .date(let date): min(now.serverDelay(until: date, fields), RetryAfter.delayMax)
        }
    }
}

extension Timestamp {
    /// The time from an answer's `Date`, or from this time when it has none, until a later time of the server's clock;
    /// zero when that has passed.
    package func serverDelay(until date: Timestamp, _ fields: HTTPFields) -> Duration {
        let answered = fields[.date].flatMap(Timestamp.init(httpDate:)) ?? self
        return answered.age(at: date)
    }
}

extension StringProtocol {
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }

    /// The next whole number for a decimal fraction such as `1.5`; nil for any other text.
    fileprivate var roundedUp: String? {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isDigits, parts[1].isDigits, let whole = Int64(parts[0]),
            whole < .max
        else { return nil }
        return String(parts[1].allSatisfy { $0 == "0" } ? whole : whole + 1)
    }
}
