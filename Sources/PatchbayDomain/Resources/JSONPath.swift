import PatchbayCore
import PatchbayJSON

/// A place in JSON: a JSON Pointer (RFC 6901) without its first slash, with four additional steps. Names are
/// percent-encoded as in the pointer's form for addresses (section 6).
///
///     response_metadata/next_cursor     the member of a member
///     releases/*/*                      each element of each member
///     data/1:                           an array without its first element
///     items?                            rows that are missing from an empty list
///     fields/Due%20Date                 a name with a space
///     link[relation=next]/url           the first element of an array whose member has this text
///     .                                 the value itself
package struct JSONPath: Hashable, Sendable {
    /// One step into a value.
    package enum Step: Hashable, Sendable {
        /// A member of an object, or the element of an array at this index.
        case member(String)
        /// Each member of an object, or each element of an array.
        case each
        /// The elements of an array from this index on; the last step of a path to rows.
        case from(Int)
        /// The elements of an array that have this text as a member.
        case matching(member: String, text: String)
    }

    /// The steps from the value to the place; none for the value itself.
    package let steps: [Step]
    /// Whether nothing at the place of rows means that there are none: `items?`.
    package var mayBeMissing = false

    /// Creates a path of steps, whose names are not escaped.
    package init(_ steps: [Step]) { self.steps = steps }

    /// Creates a path of members of members.
    package init(members names: some Sequence<String>) { self.init(names.map { .member($0) }) }

    /// The value itself.
    package static let whole = JSONPath([])

    /// Reads `profile/real_name`; `~0` is `~`, `~1` is `/`, and `%20` is the byte 0x20. Nil for a step that is empty or
    /// contains another escape.
    package init?(_ text: String) {
        if text == "." {
            self = .whole
            return
        }
        var steps: [Step] = []
        for part in DefinitionWords.parts(text, at: "/") {
            let (name, match) = JSONPath.split(part)
            guard let step = Step(name) else { return nil }
            steps.append(step)
            guard let match else { continue }
            guard let step = Step(matching: match) else { return nil }
            steps.append(step)
        }
        self.init(steps)
    }

    /// Splits `link[relation=next]`; nil for a name without brackets.
    private static func split(_ part: String) -> (name: String, match: Substring?) {
        guard part.utf8.last == UInt8(ascii: "]"), let open = part.firstIndex(of: "["),
            open != part.startIndex
        else { return (part, nil) }
        return (String(part[..<open]), part[part.index(after: open)...].dropLast())
    }

    /// Whether the path may match several places.
    package var isMany: Bool { steps.contains(.each) }

    /// The names of the members that lead to the place, or to the first step that is not a member.
    package var leadingNames: [String] {
        var names: [String] = []
        for case .member(let name) in steps.prefix(while: \.isMember) { names.append(name) }
        return names
    }
}

extension JSONPath.Step {
    fileprivate var isMember: Bool { if case .member = self { true } else { false } }

    fileprivate init?(_ text: String) {
        if text == "*" {
            self = .each
            return
        }
        if text.hasSuffix(":"), let first = Int(text.dropLast()), first >= 0 {
            self = .from(first)
            return
        }
        var encoded = text
        if text.utf8.contains(UInt8(ascii: "~")) {
            encoded = text.replacing("~1", with: "%2F").replacing("~0", with: "%7E")
        }
        guard !encoded.utf8.contains(UInt8(ascii: "~")),
            let name = PercentEncoding.text(of: encoded.utf8, plusIsSpace: false), !name.isEmpty
        else { return nil }
        self = .member(name)
    }

    /// Reads `relation=next`.
    fileprivate init?(matching text: Substring) {
        let parts = DefinitionWords.parts(text, at: "=", max: 2)
        guard parts.count == 2, !parts[0].isEmpty,
            let member = PercentEncoding.text(of: parts[0].utf8, plusIsSpace: false),
            let value = PercentEncoding.text(of: parts[1].utf8, plusIsSpace: false)
        else { return nil }
        self = .matching(member: member, text: value)
    }
}

extension JSONPath: CustomStringConvertible {
    /// The spelling in a definition: `profile/real_name`; `.` for the value itself.
    package var description: String {
        steps.isEmpty ? "." : steps.map(\.description).joined(separator: "/").replacing("/[", with: "[")
    }
}

extension JSONPath.Step: CustomStringConvertible {
    /// The spelling in a definition: `~` and `/` are escaped, and what else would not be read as a name is
    /// percent-encoded.
    package var description: String {
        let name: String
        switch self {
        case .each: return "*"
        case .from(let first): return "\(first):"
        case .member("."): return "%2E"
        case .matching(let member, let text):
            let words = [member, text].map { word in
                PercentEncoding.encoded(word) { $0 <= 0x20 || "%=/[]".utf8.contains($0) }
            }
            return "[\(words.joined(separator: "="))]"
        case .member(let word): name = word
        }
        if name.hasSuffix(":"), Int(name.dropLast()) != nil { return name.dropLast() + "%3A" }
        return PercentEncoding.encoded(name) { $0 <= 0x20 || $0 == 0x7F || "%*@{?[".utf8.contains($0) }
            .escapedForPath
    }
}
