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

    /// The latest time of all lines and list items of the field, and of `retry-after-ms`, because proxies on the way
    /// add their own. Nil when none of them is a number or a date.
    package init?(_ fields: HTTPFields) {
        var times = fields[values: .retryAfter].flatMap(RetryAfter.times)
        for text in fields[values: .retryAfterMilliseconds] where text.isASCIIDigits {
            times.append(
                .delay(Int64(text).map { min(.milliseconds($0), RetryAfter.delayMax) } ?? RetryAfter.delayMax)
            )
        }
        // Only differences matter here, and a date without the answer's own date is later than any delay.
        let start = fields[.date].flatMap(Timestamp.init(httpDate:)) ?? Timestamp(milliseconds: 0)
        guard let latest = times.max(by: { $0.delay(since: start) < $1.delay(since: start) }) else {
            return nil
        }
        self = latest
    }

    /// The times in one line: one, or several separated by commas, which dates contain as well.
    private static func times(in line: String) -> [RetryAfter] {
        if let time = time(line) { return [time] }
        let parts = line.split(separator: ",").map { String($0.drop { $0 == " " }) }
        return parts.indices.compactMap { place in
            time(parts[place])
                ?? (place + 1 < parts.endIndex ? time(parts[place] + ", " + parts[place + 1]) : nil)
        }
    }

    /// A number that is too large for a time is more than a day.
    private static func time(_ text: String) -> RetryAfter? {
        RetryAfter(text) ?? (text.isASCIIDigits ? .delay(delayMax) : nil)
    }

    private func delay(since start: Timestamp) -> Duration {
        switch self {
        case .delay(let delay): delay
        case .date(let date): start.age(at: date)
        }
    }

    /// Reads a time or a delay by its form: a number above 10^12 is in milliseconds since 1970, one above 10^9 in
    /// seconds since 1970, any other in seconds from now; a text is an HTTP date or ISO 8601. A fraction of a number is
    /// rounded up.
    ///
    /// Nil for anything else, and for a time after the year 9999.
    package init?(_ text: String) {
        guard text.isASCIIDigits else {
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
    /// The next whole number for a decimal fraction such as `1.5`; nil for any other text.
    fileprivate var roundedUp: String? {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isASCIIDigits, parts[1].isASCIIDigits, let whole = Int64(parts[0]),
            whole < .max
        else { return nil }
        return String(parts[1].allSatisfy { $0 == "0" } ? whole : whole + 1)
    }
}

extension HTTPField.Name {
    /// `retry-after-ms`: a delay in milliseconds, which some APIs send beside `Retry-After`.
    fileprivate static let retryAfterMilliseconds = HTTPField.Name("retry-after-ms")!
}
