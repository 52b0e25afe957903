import PatchbaySystem

/// A point in time, in milliseconds since 1970-01-01 00:00 UTC.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01 00:00 UTC; negative before.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since 1970-01-01 00:00 UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether the left time is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time elapsed since this time; zero when it is in the future.
    public func age(at now: Timestamp) -> Duration {
        .milliseconds(max(0, now.milliseconds.subtractingReportingOverflow(milliseconds).partialValue))
    }

    /// The time elapsed since this stored time; nil when it is in the future, because the clock was ahead when it was
    /// stored, or another program stored it.
    package func storedAge(at now: Timestamp) -> Duration? { self <= now ? age(at: now) : nil }

    /// Returns whether this stored time is later than any event that was expected within `most` can be. It was stored
    /// while the clock was ahead, or by another program, and must not be believed.
    package func isImpossible(at now: Timestamp, within most: Duration) -> Bool { now.age(at: self) > most }

    /// Whether a day begins (UTC), as in a date without a time.
    package var isMidnight: Bool { milliseconds.isMultiple(of: 86_400_000) }

    /// The time after a duration, in whole milliseconds; the last possible one if it is beyond that.
    package func advanced(by duration: Duration) -> Timestamp {
        let sum = Int128(milliseconds) + duration.attoseconds / 1_000_000_000_000_000
        return Timestamp(milliseconds: Int64(clamping: sum))
    }
}

extension Timestamp: ColumnValue {
    /// 0000-01-01 00:00 UTC, in milliseconds.
    @usableFromInline static let storedMin: Int64 = -62_167_219_200_000
    /// The end of the year 9999, in milliseconds.
    @usableFromInline static let storedMax: Int64 = 253_402_300_799_999

    /// An integer, in milliseconds.
    @inlinable public static var fieldType: FieldType { .integer }
    /// Reads an integer field; null is 1970-01-01 00:00 UTC. A time outside the years 0 to 9999 becomes the nearest one
    /// in them, because other programs can store any number.
    @inlinable public init(_ row: borrowing RowView, at position: Int) {
        self.init(milliseconds: min(max(row.integer(position), Self.storedMin), Self.storedMax))
    }
    /// Sets an integer field to the milliseconds.
    @inlinable public func write(to row: inout RowBuilder, at position: Int) {
        row.set(position, milliseconds)
    }
}

// MARK: - ISO 8601, as APIs write it: 2008-01-14T04:33:35Z

extension Timestamp: LosslessStringConvertible {
    /// Reads `2008-01-14T04:33:35Z`. The seconds may be absent or have a fraction, of which three digits count. In
    /// place of `Z` there may be an offset such as `+02:00`, `+0200` or `+02`, or nothing, which means UTC. A space may
    /// be in place of `T`, and both letters may be lower-case (RFC 3339, section 5.6). A date alone is midnight UTC.
    public init?(_ text: String) {
        var scanner = DateScanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
            scanner.skip("-"), let day = scanner.number(2), let inDay = scanner.millisecondsInDay(),
            scanner.isAtEnd, (1...12).contains(month), (1...daysIn(month: month, of: year)).contains(day)
        else { return nil }
        milliseconds = Int64(days(toYear: year, month: month, day: day) * 86_400_000 + inDay)
    }

    /// In UTC; with a fraction only if it is not zero.
    public var description: String {
        unsafe String(unsafeUninitializedCapacity: Self.textBytesMax) {
            unsafe write(to: $0.baseAddress!)
        }
    }
}

extension Timestamp {
    /// The maximum size of ``write(to:)``, for a year of nine digits with a sign.
    package static let textBytesMax = 30

    /// Writes ``description`` into memory, without making a string.
    ///
    /// - Parameter bytes: at least ``textBytesMax`` bytes.
    /// - Returns: the number of bytes written.
    package func write(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let (day, inDay) = flooredDivision(Int(milliseconds), by: 86_400_000)
        let (year, month, dayOfMonth) = date(day: day)
        var count = 0
        func put(_ byte: Unicode.Scalar) {
            unsafe bytes[count] = UInt8(ascii: byte)
            count += 1
        }
        func put(_ number: Int, _ width: Int, _ end: Unicode.Scalar) {
            var rest = number
            for place in (count..<(count + width)).reversed() {
                unsafe bytes[place] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            }
            count += width
            put(end)
        }
        if year < 0 { put("-") }
        put(abs(year), max(4, String(abs(year)).utf8.count), "-")
        put(month, 2, "-")
        put(dayOfMonth, 2, "T")
        put(inDay / 3_600_000, 2, ":")
        put(inDay / 60_000 % 60, 2, ":")
        let fraction = inDay % 1_000
        put(inDay / 1_000 % 60, 2, fraction == 0 ? "Z" : ".")
        if fraction != 0 { put(fraction, 3, "Z") }
        return count
    }

    /// The times that a storage returns.
    package static var storedRange: ClosedRange<Int64> { storedMin...storedMax }
}

private struct DateScanner {
    let bytes: [UInt8]
    var next = 0

    var isAtEnd: Bool { next == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next < bytes.count, bytes[next] == UInt8(ascii: character) else { return false }
        next += 1
        return true
    }

    /// Exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        guard next + count <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[next..<(next + count)] {
            guard byte.isASCIIDigit else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        next += count
        return number
    }

    /// The time after the date, relative to midnight UTC; 0 if there is none.
    mutating func millisecondsInDay() -> Int? {
        if isAtEnd { return 0 }
        guard skip("T") || skip("t") || skip(" "), let hour = number(2), hour < 24, skip(":"),
            let minute = number(2), minute < 60, let inMinute = millisecondsInMinute(),
            let offsetMinutes = offsetMinutes()
        else { return nil }
        return (hour * 60 + minute - offsetMinutes) * 60_000 + inMinute
    }

    /// Seconds with their fraction; 0 if there are none.
    private mutating func millisecondsInMinute() -> Int? {
        guard skip(":") else { return 0 }
        guard let second = number(2), second < 61, let fraction = fraction() else { return nil }
        return second * 1_000 + fraction
    }

    /// Milliseconds after a point; 0 if there is none.
    private mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        let digits = bytes[next...].prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        next += digits.count
        let thousandths = (digits.prefix(3).map { Int($0 - 0x30) } + [0, 0]).prefix(3)
        return thousandths.reduce(0) { $0 * 10 + $1 }
    }

    private mutating func offsetMinutes() -> Int? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours < 24 else { return nil }
        if isAtEnd { return sign * hours * 60 }
        _ = skip(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

/// The quotient rounded down, and the remainder, which is not negative.
private func flooredDivision(_ number: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
}

private func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

private func daysIn(month: Int, of year: Int) -> Int {
    month == 2 && isLeap(year) ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
}

/// Days from 1970-01-01 in the Gregorian calendar. The year starts in March here, so that the leap day is its last day.
private func days(toYear year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let era = flooredDivision(marchYear, by: 400)
    let leapDays = era.quotient * 97 + era.rest / 4 - era.rest / 100
    return marchYear * 365 + leapDays + dayOfYear - 719_468
}

private func date(day: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = flooredDivision(day + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
}

extension Timestamp: Codable {
    /// Reads ISO 8601 text, as ``init(_:)-(String)`` does.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a time")
        }
        self = time
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Timestamp {
    /// The system's clock.
    public static func now() -> Timestamp { Timestamp(milliseconds: SystemClock.milliseconds) }
}
