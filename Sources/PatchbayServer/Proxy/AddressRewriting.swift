import HTTPTypes
import PatchbayCore

/// Replaces addresses of the source's server by addresses of this server under the name that the client uses.
struct AddressRewriting: Sendable, Hashable {
    /// The source's address, without a trailing slash.
    let from: String
    /// The scheme and the name of this server that the client uses.
    let scheme: String, host: String
    let scope: ProxyOptions.Rewriting

    /// This server's address, without a trailing slash.
    private var to: String { scheme + "://" + host }

    private var changesNothing: Bool { scope == .nothing || from == to }

    /// Replaces the addresses in header fields.
    func apply(to fields: inout HTTPFields) {
        if changesNothing { return }
        for name in [HTTPField.Name.link, .location, .contentLocation] where fields.contains(name) {
            fields[values: name] = fields[values: name].map { relative(replaced($0)) }
        }
    }

    /// Replaces paths below the source's address, from which this server's paths begin: `</api/v3/users?page=2>`.
    private func relative(_ value: String) -> String {
        guard let path = HTTPAddress(from)?.path, path != "/" else { return value }
        let paths = value.hasPrefix(path + "/") ? String(value.dropFirst(path.count)) : value
        return paths.replacing("<\(path)/", with: "</")
    }

    /// Returns the body with this server's addresses, or nil when it contains none of the source's.
    ///
    /// Only JSON strings that consist of an address are changed, not those that merely mention one.
    func applied(to body: [UInt8], _ fields: HTTPFields) -> [UInt8]? {
        guard !changesNothing, scope == .bodies, fields.isJSON, !body.isEmpty else {
            return nil
        }
        let plain = replacing(Self.quoted(from), by: Self.quoted(to), in: body)
        let escaped = replacing(
            Self.quoted(from.replacing("/", with: #"\/"#)), by: Self.quoted(to.replacing("/", with: #"\/"#)),
            in: plain ?? body)
        return escaped ?? plain
    }

    /// Replaces the source's address, and references to it without a scheme: `//api.example.org/users`.
    private func replaced(_ value: String) -> String {
        let scheme = from.prefix { $0 != "/" }, reference = from.dropFirst(scheme.count)
        var output = "", rest = value[...]
        while let found = rest.firstRange(of: reference) {
            let before = rest[..<found.lowerBound]
            let hasScheme = before.hasSuffix(scheme)
            let isStart = hasScheme || before.last == "<" || found.lowerBound == value.startIndex
            let isWhole = rest[found.upperBound...].first.map { "/?#>\"".contains($0) } ?? true
            output +=
                isStart && isWhole
                ? before.dropLast(hasScheme ? scheme.count : 0) + to : rest[..<found.upperBound]
            rest = rest[found.upperBound...]
        }
        return output + rest
    }

    private func replacing(_ needle: [UInt8], by replacement: [UInt8], in body: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = [], done = 0
        let search = ByteSearch(for: needle)
        while let found = search.first(in: body, from: done) {
            let end = found + needle.count
            if output.isEmpty { output.reserveCapacity(body.count + 256) }
            output += body[done..<found]
            output += Self.isAddress(body, from: end) ? replacement : needle
            done = end
        }
        return done == 0 ? nil : output + body[done...]
    }

    /// Whether the rest of a string up to its closing quote continues an address.
    private static func isAddress(_ body: [UInt8], from start: Int) -> Bool {
        guard start < body.count, #"/?#\{""#.utf8.contains(body[start]) else { return false }
        for byte in body[start...].prefix(8_192) {
            if byte == UInt8(ascii: "\"") { return true }
            if byte <= 0x20 { return false }
        }
        return false
    }

    private static func quoted(_ text: String) -> [UInt8] { [UInt8(ascii: "\"")] + Array(text.utf8) }
}

/// Searches for a byte string (Horspool, 1980), skipping most of the bytes.
struct ByteSearch: Sendable {
    private let needle: [UInt8]
    /// The distance to move, by the byte under the end of the needle.
    private let skips: [Int]

    /// - Parameter needle: not empty.
    init(for needle: [UInt8]) {
        precondition(!needle.isEmpty, "the needle must not be empty")
        self.needle = needle
        var skips = Array(repeating: needle.count, count: 256)
        for (place, byte) in needle.dropLast().enumerated() { skips[Int(byte)] = needle.count - 1 - place }
        self.skips = skips
    }

    /// Returns the first occurrence at or after `start`; nil when there is none.
    func first(in bytes: [UInt8], from start: Int) -> Int? {
        var at = start
        while at + needle.count <= bytes.count {
            var left = needle.count - 1
            while bytes[at + left] == needle[left] {
                if left == 0 { return at }
                left -= 1
            }
            at += skips[Int(bytes[at + needle.count - 1])]
        }
        return nil
    }
}
