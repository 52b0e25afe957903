import PatchbayDomain
import PatchbayJSON

/// A parameter in the query of a list, as a document describes it.
struct OpenAPIParameter {
    /// What a parameter that selects pages selects.
    enum Role: Hashable {
        /// The number of a page; the first number is nil if the document does not state it.
        case page(first: Int64?)
        /// The number of a row, counted from 0 or 1.
        case offset(first: Int64)
        /// The number of rows of a page; nil for one that is not sent.
        case size(Int64?)
        /// Something else, although its name may be that of a page or a row: a time.
        case other
    }

    let name: String
    let isRequired: Bool
    /// Without references, null as an alternative, and lists of schemas.
    let schema: JSONValue
    let description: String
    private let example: JSONValue?

    init(name: String, _ parameter: JSONValue, schema: JSONValue, isRequired: Bool) {
        (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
        description = (parameter["description"] ?? schema["description"])?.word ?? ""
        example = schema["example"] ?? parameter["example"]
    }

    /// The types of the schema, without null.
    var types: Set<String> { schema.types }

    /// A page that is not larger is requested even if more is allowed.
    private static let pageRowsMax: Int64 = 1_000

    var role: Role {
        let isSize = ResourceDeclaration.isPageSize(DraftPaging.inner(name))
        guard isSize || DraftPaging.isCounter(name), isNumber else { return .other }
        if isSize {
            guard let size else { return .other }
            return .size(size > 0 ? size : nil)
        }
        if DraftPaging.isPageNumber(name) || isDescribedAsPage {
            // The first letters of a word may be those of another one, such as a price.
            let isWord = DraftPaging.inner(name).count > 2 || description.isEmpty
            return isWord || description.contains(/(?i)pag/) ? .page(first: firstPage) : .other
        }
        guard !isTime else { return .other }
        // Counting from 0 repeats a row if rows count from 1, and counting from 1 loses a row if they count from 0. A
        // minimum of 1 may only say that the parameter is not for the first page.
        return .offset(first: (declared("default") ?? stated) == 1 ? 1 : 0)
    }

    /// The number of rows to request; nil if nothing shows that the parameter is the size of a page.
    private var size: Int64? {
        // `top` may be a number of days, and select rows.
        let isMeasure =
            /(?i)\bnumber of (?:\w+ )?(?:seconds|minutes|hours|days|weeks|months|years|levels|met(?:er|re)s|miles)\b/
        if description.contains(isMeasure) { return nil }
        if let most = declared("maximum") { return min(most, Self.pageRowsMax) }
        if let usual = declared("default") { return usual }
        // `size` may be that of the things in the list.
        let folded = DraftWords.folded(name),
            isNamed = ["limit", "max", "page"].contains { folded.contains($0) }
        let words =
            /(?i)\b(?:limit|pages?|pagina\w+|results?|rows?|records?|items?|entries|returns?|returned)\b/
        guard isNamed || isRequired || description.contains(words) else { return nil }
        return statedSize.map { min($0, Self.pageRowsMax) } ?? Self.usualRows
    }

    /// The size of a page if a document states none. Without one, the server's own would go unnoticed: a page with as
    /// many rows as requested is probably not the last one.
    private static let usualRows: Int64 = 100

    /// The largest size of a page, or the one that is usual, in the words of the description.
    private var statedSize: Int64? {
        let most =
            #/
            (?i)\b(?:max\w*|up\ to|at\ most|no\ more\ than|between\ \d+\ and|\d+\ ?(?:-|to|\.\.+))
            [^.;\d]{0,40}(\d{1,3}(?:,\d{3})+|\d+)(?![.,]?\d)
            /#
        let usual = /(?i)\bdefault\w*[^.;\d]{0,40}(\d{1,3}(?:,\d{3})+|\d+)(?![.,]?\d)/
        let found = description.firstMatch(of: most)?.output.1 ?? description.firstMatch(of: usual)?.output.1
        return found.flatMap { Int64($0.filter(\.isNumber)) }.flatMap { $0 > 1 ? $0 : nil }
    }

    /// Whether a text may be the place of the next page instead of a number.
    var isText: Bool { types == ["string"] && number(schema["default"]) == nil && number(example) == nil }

    private func declared(_ key: String) -> Int64? { number(schema[key]) }

    private func number(_ value: JSONValue?) -> Int64? { value?.word.flatMap { Int64($0) } }

    private var isNumber: Bool {
        guard !types.isEmpty, types.isDisjoint(with: ["integer", "number"]) else { return true }
        guard types == ["string"], schema["format"] == nil else { return false }
        guard isText else { return true }
        // The words show that it is not the title of a page, or a cursor.
        let isPage =
            description.isEmpty || description.contains(/(?i)\bnumber|\bpaginat|\bpaging|which page|\d/)
        // Other names need the words.
        let others = ["limit", "offset", "pagesize", "perpage", "skip"]
        let isOther = others.contains(DraftPaging.inner(name)) && !description.isEmpty
        return (DraftPaging.isPageNumber(name) || isOther) && schema["enum"] == nil && isPage
            && !description.contains(/(?i)\bcursor|\btoken|\btitle/)
    }

    /// Whether the description names a time, by which the parameter selects rows.
    var isTime: Bool {
        let format = schema["format"]?.word ?? "", folded = DraftWords.folded(name)
        return format.hasPrefix("date") || format == "unix-time"
            || description.contains(
                /(?i)\b(?:unix|epoch|timestamps?|date-?time|dates?|milliseconds|iso[- ]?8601|rfc[- ]?3339)\b/)
                && !description.contains(/(?i)\b(?:cursor|token|paginat\w+|pages?|offset\w*|skip\w*|index)\b/)
                // The words may be about the order of the rows.
                && !["index", "offset", "record", "row", "skip"].contains { folded.contains($0) }
    }

    /// Whether a description calls a parameter with another name the number of a page, not of a row.
    private var isDescribedAsPage: Bool {
        if description.contains(/(?i)\bpages to (?:skip|omit)\b|\bnumber of pages\b/) { return true }
        return description.contains(/(?i)\bpage (?:number|index|to)\b|\bnumber of the page\b|\bwhich page\b/)
            && !description.contains(/(?i)\bskip|\b(?:rows?|records?|items?|results?|entries|objects) to\b/)
            && !description.contains(/(?i)\b(?:first|number of) (?:row|record|item|result|entr|object)/)
    }

    // MARK: The first number

    /// The number of the page that a request without a number returns.
    private var firstPage: Int64? {
        let all = [
            declared("default"), statedPage, number(example).flatMap { $0 == 0 ? 0 : nil },
            declared("minimum"),
        ]
        return all.lazy.compactMap(\.self).first { $0 == 0 || $0 == 1 }
    }

    /// The number at which the description says that counting begins: 1 for "the 1-based index of the first result".
    private var stated: Int64? {
        let based = /(?i)\b(0|zero|1|one)[- ]?(?:based|index)/
        let begins = /(?i)\b(?:start|begin|count|index)\w* (?:at|from|with) (0|zero|1|one)\b(?![.,]\d)/
        let found =
            description.firstMatch(of: based)?.output.1 ?? description.firstMatch(of: begins)?.output.1
        return found.map(Self.value)
    }

    /// The number of the first page, which a description in any language states with the digit 0 or 1.
    private var statedPage: Int64? {
        if let stated { return stated }
        let first =
            #/
            (?i)\b(?:start|begin|count|index|default|first|from|initial)\w*
            (?:\W+(?:is|are|was|has|at|from|with|to|page|value|number|index|the|of|as|being)\b){0,4}
            \W{1,4}(0|zero|1)\b(?![.,]?\d)
            /#
        if let found = description.firstMatch(of: first)?.output.1 { return Self.value(found) }
        // More than 0 is at least 1.
        let text = description.replacing(/(?i)(?:>|\bthan|\babove|\bals)\s*(?:0|zero)\b/, with: " 1 ")
        // Some languages have no spaces around a number.
        let numbers = text.matches(of: /(?:^|[^a-zA-Z0-9_.,])(0|1)(?![a-zA-Z0-9_]|[.,]\d)/).map(\.output.1)
        return (numbers.first { $0 == "0" } ?? numbers.first).map(Self.value)
    }

    private static func value(_ word: Substring) -> Int64 {
        ["0", "zero"].contains(word.lowercased()) ? 0 : 1
    }
}

extension JSONValue {
    /// The types of a schema, without null.
    var types: Set<String> {
        let types = self["type"]
        return Set(types?.word.map { [$0] } ?? types?.elements.compactMap(\.word) ?? []).subtracting(["null"])
    }
}

/// Parameters that select rows even if a request does not have them.
extension OpenAPIParameter {
    private static let selecting: Set<String> = [
        "active", "archived", "closed", "deleted", "disabled", "enabled", "hidden", "inactive", "kind",
        "open",
        "published", "scope", "state", "states", "status", "statuses", "trashed", "type", "types",
        "visibility",
        "visible",
    ]
    /// Words of names whose values select how rows are written, not which.
    private static let writing: Set<String> = [
        "content", "direction", "encoding", "file", "format", "media", "mime", "order", "output", "response",
        "sort", "sorting",
    ]
    private static let everything: Set<String> = ["all", "any", "both", "every"]

    /// How the parameter selects rows if it is not sent, in a word or two; nil if nothing shows that it does.
    var preset: String? {
        guard case .other = role else { return nil }
        return presetTime ?? presetChoice
    }

    /// Fewer rows than all because of a choice with a default: `status`, which is `active`.
    private var presetChoice: String? {
        let words = Set(DraftWords.split(name))
        guard !words.isDisjoint(with: Self.selecting), words.isDisjoint(with: Self.writing) else {
            return nil
        }
        if types == ["boolean"], case .bool(let isOn)? = schema["default"] { return "\(isOn)" }
        let choices = (schema["enum"] ?? schema["items"]?["enum"])?.elements.compactMap(\.word) ?? []
        let chosen =
            schema["default"]?.word.map { [$0] } ?? schema["default"]?.elements.compactMap(\.word) ?? []
        let isAll = chosen.contains { !Self.everything.isDisjoint(with: DraftWords.split($0)) }
        guard !chosen.isEmpty, chosen != [""], !isAll, !Set(choices).isSubset(of: chosen) else { return nil }
        return chosen.joined(separator: ", ")
    }

    /// A time before today at which the list begins if nothing else is requested.
    private var presetTime: String? {
        let ends = ["before", "end", "max", "to", "until"]
        guard DraftWords.split(name).allSatisfy({ !ends.contains($0) }) else { return nil }
        let time =
            #/
            (?i)\b(?:default\w*|omitted|not\ (?:set|given|provided|specified)|unspecified)\b[^.;]{0,60}
            \b(?:(?:days?|weeks?|months?|years?|hours?)\ ago|yesterday|today
            |(?:last|past|previous|current)\ (?:\d+\ )?(?:\w+\ )?(?:day|week|month|year|hour)s?)\b
            /#
        return description.contains(time) ? "a recent time" : nil
    }
}
