import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Decodes the limits in the JSON of `GET /rate_limit`: `{"resources": {"core": {"limit": 60, ...}, ...}}`.
enum LimitsDecoder {
    /// The maximum number of limits; GitHub has about fifteen.
    static let limitsMax = 100

    static func decode(_ body: [UInt8]) throws(JSONError) -> [SourceLimit] {
        var reader = JSONReader(body.span.bytes)
        var limits: [SourceLimit] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "resources" { limits = try resources(&reader) } else { try reader.skipValue() }
        }
        try reader.finish()
        return limits
    }

    private static func resources(_ reader: inout JSONReader) throws(JSONError) -> [SourceLimit] {
        var limits: [SourceLimit] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            guard limits.count < limitsMax, try reader.peek() == .object else {
                try reader.skipValue()
                continue
            }
            limits.append(try limit(name, &reader))
        }
        return limits
    }

    private static func limit(
        _ name: String, _ reader: inout JSONReader
    ) throws(JSONError) -> SourceLimit {
        var limit = SourceLimit(resource: name, limit: 0, remaining: 0, resetsAt: nil)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "limit" {
                limit.limit = try reader.readInteger()
            } else if key == "remaining" {
                limit.remaining = try reader.readInteger()
            } else if key == "reset" {
                let seconds = try reader.readInteger()
                // Valid from 1970 to 9999; other values are ignored.
                limit.resetsAt =
                    (0...253_402_300_799).contains(seconds) ? Timestamp(milliseconds: seconds * 1_000) : nil
            } else {
                try reader.skipValue()
            }
        }
        return limit
    }
}
