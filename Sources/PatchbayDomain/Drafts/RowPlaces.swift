import PatchbayJSON

/// Finds the rows in an answer.
enum RowPlaces {
    private static let usualNames: Set<String> = [
        "data", "items", "results", "records", "rows", "entries", "values", "list", "content", "hits",
        "objects",
        "elements", "members", "nodes", "edges",
    ]
    private static let depthMax = 4

    /// Every array with rows, most likely first: the answer itself, then arrays with usual names, then the longest.
    static func all(in body: JSONValue) -> [(path: JSONPath, rows: [JSONValue])] {
        var found: [(path: JSONPath, rows: [JSONValue])] = []
        add(body, at: [], to: &found)
        func rank(_ place: (path: JSONPath, rows: [JSONValue])) -> (Int, Int, Int) {
            guard case .member(let name)? = place.path.steps.last else { return (0, 0, 0) }
            let isUsual = usualNames.contains(DraftWords.folded(name))
            return (isUsual ? 1 : 2, -place.rows.count, place.path.steps.count)
        }
        let ranked = found.enumerated().sorted { left, right in
            let (first, second) = (rank(left.element), rank(right.element))
            return first == second ? left.offset < right.offset : first < second
        }
        return ranked.map(\.element)
    }

    private static func add(
        _ value: JSONValue, at steps: [JSONPath.Step], to found: inout [(path: JSONPath, rows: [JSONValue])]
    ) {
        let path = JSONPath(steps)
        switch value {
        case .array(let elements):
            // Scalars are rows only if the answer contains nothing else.
            let areRows =
                elements.contains(where: \.isObject) || steps.isEmpty && elements.contains { $0.isScalar }
            if areRows, isSpelled(path) { found.append((path, elements)) }
        case .object where steps.count < depthMax:
            for (name, value) in value.members { add(value, at: steps + [.member(name)], to: &found) }
        default: break
        }
    }

    /// Whether an answer is more likely one row that contains an array than a page of a list.
    static func isRow(_ body: JSONValue, besides path: JSONPath) -> Bool {
        guard case .member(let name)? = path.steps.first else { return false }
        let hasKey = body.members.contains { member in
            ["id", "uuid", "sha", "slug", "login"].contains(DraftWords.folded(member.name))
                && member.value.isScalar
        }
        return hasKey && !usualNames.contains(DraftWords.folded(name))
    }

    /// Whether a definition can express the place of the rows.
    static func isSpelled(_ path: JSONPath) -> Bool {
        JSONPath(path.description) == path && DraftText.line("rows", path.description) != nil
    }

    /// The rows at a place: an array's elements, or one object. Nil when the place has neither.
    static func rows(at path: JSONPath, in body: JSONValue) -> [JSONValue]? {
        let values = values(at: path.steps[...], in: body)
        guard !values.isEmpty else { return nil }
        return values.flatMap { value -> [JSONValue] in
            if case .array(let elements) = value { return elements }
            return value.isObject ? [value] : []
        }
    }

    private static func values(at steps: ArraySlice<JSONPath.Step>, in value: JSONValue) -> [JSONValue] {
        guard let step = steps.first else { return [value] }
        let next: [JSONValue] =
            switch step {
            case .member(let name):
                value[name].map { [$0] } ?? Int(name).flatMap { number in
                    value.elements.indices.contains(number) ? [value.elements[number]] : nil
                } ?? []
            case .each: value.members.map(\.value) + value.elements
            case .from(let first): [.array(Array(value.elements.dropFirst(first)))]
            }
        return next.flatMap { values(at: steps.dropFirst(), in: $0) }
    }
}

extension JSONValue {
    var isScalar: Bool {
        switch self {
        case .bool, .number, .text: true
        default: false
        }
    }

    /// The scalar at the end of a path of members.
    func word(at path: [String]) -> String? {
        path.reduce(Optional(self)) { $0?[$1] }?.word
    }

    /// The kind of the answer, for messages.
    var kindWords: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array without objects"
        case .object: "an object without an array of objects"
        }
    }
}
