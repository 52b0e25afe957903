import HTTPTypes
import PatchbayCore

/// The directives of `Cache-Control` fields (RFC 9111, section 5.2).
struct CacheDirectives: Sendable {
    /// The limit to which longer times are reduced (RFC 9111, section 1.2.2).
    static let secondsMax = 1 << 31

    private var directives: [(name: String, value: String?)] = []

    /// Reads `Cache-Control` and the prohibitions of `CDN-Cache-Control` (RFC 9213), whose longer lifetimes are for
    /// caches that are purged.
    init(_ fields: HTTPFields) {
        guard fields.contains(.cdnCacheControl) else {
            for field in fields[values: .cacheControl] { read(field) }
            return
        }
        for field in fields[values: .cdnCacheControl] { read(field) }
        directives.removeAll { !["no-store", "no-cache", "private"].contains($0.name) }
        for field in fields[values: .cacheControl] { read(field) }
    }

    /// Whether a directive is present, with or without a value.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Returns the value of a directive; nil without one.
    func value(_ name: String) -> String? { directives.first { $0.name == name }?.value }

    /// Returns the seconds of a directive: the minimum if it is repeated, 0 if its value is not a number, nil if it is
    /// missing.
    func seconds(_ name: String) -> Int? {
        directives.filter { $0.name == name }.map { Self.seconds(in: $0.value ?? "") ?? 0 }.min()
    }

    /// Parses a number of seconds, which must consist of digits.
    static func seconds(in text: some StringProtocol) -> Int? {
        guard text.isASCIIDigits else { return nil }
        return min(Int(text) ?? secondsMax, secondsMax)
    }

    /// Parses a comma-separated list of `name`, `name=value` and `name="value"`.
    private mutating func read(_ field: String) {
        var reader = FieldValueReader(field)
        while reader.skipToElement() {
            // A space before the equals sign is part of the name; a space before a comma is ignored.
            var name = reader.text { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }.lowercased()
            var value: String?
            if reader.take("=") {
                value = reader.value()
            } else {
                name = String(name.prefix { $0 != " " && $0 != "\t" })
            }
            if !name.isEmpty { directives.append((name, value)) }
        }
    }
}

extension FieldValueReader {
    /// Reads a value and everything after it up to the next comma.
    fileprivate mutating func value() -> String {
        let string = byte == UInt8(ascii: "\"") ? quoted().text : nil
        var rest = text { $0 != UInt8(ascii: ",") }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return string ?? rest
    }
}

extension HTTPField.Name {
    fileprivate static let cdnCacheControl = HTTPField.Name("CDN-Cache-Control")!
}
