/// A place in JSON: a JSON Pointer (RFC 6901) without its first slash, with two additional steps.
///
///     response_metadata/next_cursor     the member of a member
///     releases/*/*                      each element of each member
///     .                                 the value itself
public struct JSONPath: Hashable, Sendable {
    /// One step into a value.
    public enum Step: Hashable, Sendable {
        /// A member of an object, or the element of an array at this index.
        case member(String)
        /// Each member of an object, or each element of an array.
        case each
    }

    /// The steps from the value to the place; none for the value itself.
    public let steps: [Step]

    /// Creates a path of steps, whose names are not escaped.
    public init(_ steps: [Step]) { self.steps = steps }

    /// The value itself.
    public static let whole = JSONPath([])

    /// Reads `profile/real_name`; `~0` stands for `~` and `~1` for `/`. Nil for a step that is empty or contains
    /// another escape.
    public init?(_ text: String) {
        if text == "." {
            self = .whole
            return
        }
        var steps: [Step] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard let step = Step(part) else { return nil }
            steps.append(step)
        }
        self.init(steps)
    }

    /// Whether the path may match several places.
    public var isMany: Bool { steps.contains(.each) }
}

extension JSONPath.Step {
    fileprivate init?(_ text: Substring) {
        if text == "*" {
            self = .each
            return
        }
        if !text.isEmpty, !text.utf8.contains(UInt8(ascii: "~")) {
            self = .member(String(text))
            return
        }
        var name = "", rest = text
        while let character = rest.popFirst() {
            guard character == "~" else {
                name.append(character)
                continue
            }
            switch rest.popFirst() {
            case "0": name.append("~")
            case "1": name.append("/")
            default: return nil
            }
        }
        guard !name.isEmpty else { return nil }
        self = .member(name)
    }
}

extension JSONPath: CustomStringConvertible {
    /// The spelling in a definition: `profile/real_name`; `.` for the value itself.
    public var description: String {
        steps.isEmpty ? "." : steps.map(\.description).joined(separator: "/")
    }
}

extension JSONPath.Step: CustomStringConvertible {
    /// The spelling in a definition, with `~` and `/` escaped.
    public var description: String {
        switch self {
        case .each: "*"
        case .member(let name): name.replacing("~", with: "~0").replacing("/", with: "~1")
        }
    }
}
