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
        var rest = Array(field.utf8)[...]
        while !rest.isEmpty {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            let name = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...]
            var value: String?
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                value = Self.value(&rest)
            }
            let text = String(decoding: name, as: UTF8.self).lowercased()
            // A space before the equals sign is part of the name; a space before a comma is ignored.
            let trimmed = value == nil ? String(text.prefix { $0 != " " && $0 != "\t" }) : text
            if !trimmed.isEmpty { directives.append((trimmed, value)) }
        }
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        if rest.first == UInt8(ascii: "\"") {
            rest = rest.dropFirst()
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                text.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
            }
            rest = rest.drop { $0 != UInt8(ascii: ",") }
        } else {
            text = Array(rest.prefix { $0 != UInt8(ascii: ",") })
            rest = rest.dropFirst(text.count)
            while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension HTTPField.Name {
    fileprivate static let cdnCacheControl = HTTPField.Name("CDN-Cache-Control")!
}
