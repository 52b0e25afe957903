import PatchbayCore
import PatchbayJSON

extension Timestamp {
    /// Reads a time in ISO 8601, or in seconds or milliseconds since 1970; a number above 10^11 is milliseconds.
    static func read(_ reader: inout JSONReader) throws -> Timestamp {
        guard try reader.peek() == .string else {
            let number = try reader.readDouble()
            let milliseconds = number.magnitude > 1e11 ? number : number * 1_000
            guard milliseconds.magnitude < 2.6e14 else { throw outOfRange(reader) }
            return try storable(Timestamp(milliseconds: Int64(milliseconds.rounded())), reader)
        }
        guard let time = Timestamp(try reader.readString()) else {
            throw JSONError(
                message: "expected a date such as 2008-01-14T04:33:35Z, found another text",
                offset: reader.offset)
        }
        return try storable(time, reader)
    }

    private static func storable(_ time: Timestamp, _ reader: borrowing JSONReader) throws -> Timestamp {
        guard Timestamp.storedRange.contains(time.milliseconds) else { throw outOfRange(reader) }
        return time
    }

    private static func outOfRange(_ reader: borrowing JSONReader) -> JSONError {
        JSONError(message: "expected a time between the years 0 and 9999", offset: reader.offset)
    }
}
