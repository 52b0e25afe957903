import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Finds the rows in an answer.
enum RowPlaces {
    private static let usualNames: Set<String> = [
        "data", "items", "results", "records", "rows", "entries", "entry", "values", "list", "content",
        "hits", "objects", "elements", "members", "nodes", "edges",
    ]
    /// Arrays that a page of a list has beside its rows.
    private static let otherNames: Set<String> = [
        "errors", "warnings", "messages", "link", "links", "included", "includes", "facets", "aggregations",
    ]
    /// The maximum depth of an array with rows.
    static let depthMax = 4

    /// Every array with rows, most likely first: the answer itself, then the array that is named as the address, then
    /// arrays with usual names, then the longest.
    static func all(
        in body: JSONValue, of address: HTTPAddress? = nil
    ) -> [(path: JSONPath, rows: [JSONValue])] {
        let noun = noun(of: address)
        var found: [(path: JSONPath, rows: [JSONValue])] = []
        add(body, at: [], to: &found)
        return found.ordered { path, rows in
            [kind(of: path, noun), -rows.count, path.steps.count]
        }
    }

    /// The names in a place that say what the rows are, from the outermost one.
    static func nouns(of path: JSONPath) -> [String] {
        path.steps.compactMap { step in
            guard case .member(let name) = step else { return nil }
            return usualNames.contains(DraftWords.folded(name)) ? nil : name
        }
    }

    /// Whether no name shows that the first of several places has the rows.
    static func isGuess(_ places: [JSONPath], of address: HTTPAddress?) -> Bool {
        let noun = noun(of: address), kinds = places.prefix(2).map { kind(of: $0, noun) }
        return kinds.count == 2 && kinds[0] == kinds[1] && kinds[0] >= otherKind
    }

    /// The kind of an array without a name that rows usually have.
    private static let otherKind = 3

    /// How likely the names of an array are those of the rows; lower is likelier.
    private static func kind(of path: JSONPath, _ noun: String?) -> Int {
        guard case .member(let last)? = path.steps.last else { return 0 }
        let name = DraftWords.folded(last)
        if isBeside(path, noun) || name != noun && otherNames.contains(name) { return otherKind + 1 }
        return name == noun ? 1 : usualNames.contains(name) ? 2 : otherKind
    }

    /// Whether an array is in a member that pages have beside their rows: `includes/users`.
    private static func isBeside(_ path: JSONPath, _ noun: String?) -> Bool {
        path.steps.contains { step in
            guard case .member(let name) = step else { return false }
            return ["included", "includes", "errors", "warnings"].contains(DraftWords.folded(name))
                && DraftWords.folded(name) != noun
        }
    }

    private static func add(
        _ value: JSONValue, at steps: [JSONPath.Step], to found: inout [(path: JSONPath, rows: [JSONValue])]
    ) {
        let path = JSONPath(steps)
        switch value {
        case .array(let elements)
        where elements.contains(where: \.isObject) && elements.contains(where: \.isArray):
            // An object with the number of the page comes before the rows: `[{"page": 1}, [...]]`.
            guard steps.count < depthMax else { return }
            for (place, element) in elements.enumerated() where element.isArray {
                add(element, at: steps + [.member("\(place)")], to: &found)
            }
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

    /// The number of scalars beside an array that make their object more likely a row than a page.
    private static let scalarsMax = 4

    /// Whether an answer is more likely one row that contains an array than a page of a list.
    static func isRow(_ sample: DraftSample, besides path: JSONPath) -> Bool {
        guard sample.isDescribed else {
            guard case .member(let name)? = path.steps.first else { return false }
            return hasKey(sample.body, "id") && !usualNames.contains(DraftWords.folded(name))
        }
        return isDetail(path, of: sample.address)
            || isRow(sample.body, besides: path, namedBy: DraftGroup.parts(of: sample.address).last?.name)
    }

    /// - Parameter variable: the last part of the address, if it is a variable, which then probably names a row.
    private static func isRow(_ body: JSONValue, besides path: JSONPath, namedBy variable: String?) -> Bool {
        var object = body
        for case .member(let name) in path.steps {
            let isUsual = usualNames.contains(DraftWords.folded(name))
            if hasKey(object, variable ?? "id"), !isUsual || variable != nil { return true }
            let scalars = object.members.count { $0.value.isScalar && !isOfPage($0.name) }
            if variable != nil, !isUsual || scalars > scalarsMax { return true }
            object = object[name] ?? .null
        }
        return false
    }

    /// Whether an array is more likely a detail of an answer than the rows of a list, because it is deep or contains
    /// errors.
    private static func isDetail(_ path: JSONPath, of address: HTTPAddress?) -> Bool {
        guard case .member(let last)? = path.steps.last else { return false }
        let name = DraftWords.folded(last), noun = noun(of: address)
        if isBeside(path, noun) { return true }
        return name != noun && path.steps.count > 2 && !usualNames.contains(name)
    }

    /// The word for what an address lists.
    private static func noun(of address: HTTPAddress?) -> String? {
        DraftGroup.nouns(of: DraftGroup.segments(of: address)).last.map(DraftWords.folded)
    }

    private static let wordsOfPages: Set<String> = [
        "count", "cursor", "first", "last", "limit", "more", "next", "offset", "self", "size", "status",
    ]

    /// Whether a member describes a page rather than a row.
    private static func isOfPage(_ name: String) -> Bool {
        DraftWords.split(name).contains { word in
            wordsOfPages.contains(word) || ["page", "total", "prev"].contains(where: word.hasPrefix)
        }
    }

    /// Whether an object has a member that few pages have. The list is short, because a page may have a `key`.
    private static func hasKey(_ object: JSONValue, _ name: String) -> Bool {
        let names = ["id", "uuid", "sha", "slug", "login", DraftWords.folded(name)]
        return object.members.contains { names.contains(DraftWords.folded($0.name)) && $0.value.isScalar }
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
                value[step: name].map { [$0] } ?? []
            case .each: value.members.map(\.value) + value.elements
            case .from(let first): [.array(Array(value.elements.dropFirst(first)))]
            case .matching: []
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

    /// The member with a name, or the element with a number.
    subscript(step name: String) -> JSONValue? {
        self[name] ?? Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
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
