import PatchbayCore

extension ResourceReader {
    /// `TYPE[:BYTES][?] [PATH | {other.field} | {argument} | @key | @place]`
    package static func field(
        _ name: String, _ value: String, isDetail: Bool
    ) throws(DefinitionFault) -> FieldDeclaration {
        let words = DefinitionWords.split(value)
        guard words.count <= 2 else {
            throw DefinitionFault(
                "\"\(value)\" has too many words; write TYPE PATH, such as text profile/email, "
                    + "with %20 for a space in a name")
        }
        var type = words[0][...]
        let isLenient = type.hasSuffix("?")
        if isLenient { type.removeLast() }
        let parts = DefinitionWords.parts(type, at: ":", max: 2)
        var field = FieldDeclaration(
            name, try DefinitionWords.choice(parts[0], ValueType.self),
            words.count == 2 ? try origin(words[1]) : nil, isDetail: isDetail)
        field.isLenient = isLenient
        if parts.count == 2 {
            guard field.type == .text, let bytes = Int(parts[1]), (1...Limits.rowBytes).contains(bytes) else {
                throw DefinitionFault(
                    "\"\(words[0])\" is not a limit in bytes; write text:BYTES, such as text:1000")
            }
            field.bytesMax = bytes
        }
        if isDetail, field.origin.isOutside {
            throw DefinitionFault("a detail comes from the row's own answer; write field instead of detail")
        }
        if field.origin == .place, field.type != .integer {
            throw DefinitionFault("@place is a number; write integer @place")
        }
        if case .argument = field.origin, ![.text, .integer].contains(field.type) {
            throw DefinitionFault(
                "an argument is a word; write text {ARGUMENT}, or integer {ARGUMENT} for numbers")
        }
        if field.origin == .memberName, ![.text, .integer].contains(field.type) {
            throw DefinitionFault("@key is a member's name; write text @key, or integer @key for numbers")
        }
        return field
    }

    private static func origin(_ word: String) throws(DefinitionFault) -> FieldDeclaration.Origin {
        switch word {
        case "@key": return .memberName
        case "@place": return .place
        case _ where word.hasPrefix("@"):
            throw DefinitionFault(
                "\"\(word)\" is neither @key nor @place; write %40 for the @ of a member's name")
        case _ where word.hasPrefix("{"):
            // The resource's name is checked with the parents.
            let parts = DefinitionWords.parts(word.dropFirst().dropLast(), at: ".")
            guard word.hasSuffix("}"), parts.count <= 2 else {
                throw DefinitionFault(
                    "\"\(word)\" is neither a parent's field nor an argument; write {RESOURCE.FIELD} or {ARGUMENT}"
                )
            }
            guard parts.count == 2 else { return .argument(try DefinitionWords.name(parts[0])) }
            return .parent(field: try DefinitionWords.name(parts[1]))
        default: return .path(try DefinitionWords.path(word))
        }
    }

    /// `FIELD [PART/PART]`
    static func handle(_ value: String) throws(DefinitionFault) -> HandleDeclaration {
        let words = DefinitionWords.split(value)
        let name = try DefinitionWords.name(words[0])
        guard words.count > 1 else { return HandleDeclaration(name) }
        let parts = DefinitionWords.parts(words[1], at: "/")
        guard words.count == 2, !parts.contains("") else {
            throw DefinitionFault("\"\(value)\" is not a handle; write FIELD or FIELD PART/PART")
        }
        return HandleDeclaration(name, parts: parts)
    }

    /// `FIELD[|FIELD][:TITLE] ...`
    static func columns(_ value: String) throws(DefinitionFault) -> [ColumnDeclaration] {
        var columns: [ColumnDeclaration] = []
        for word in DefinitionWords.split(value) {
            let parts = DefinitionWords.parts(word, at: ":", max: 3)
            var fields: [String] = []
            for name in DefinitionWords.parts(parts[0], at: "|") {
                fields.append(try DefinitionWords.name(name))
            }
            let title = parts.count > 1 ? parts[1].withSpaces : nil
            if title == "" {
                throw DefinitionFault("\"\(word)\" has no title after its colon; write FIELD:TITLE")
            }
            let count = parts.count > 2 ? Int(parts[2]) : nil
            if parts.count > 2, count ?? 0 < 1 {
                throw DefinitionFault(
                    "\"\(word)\" does not end with a number of characters; write FIELD:TITLE:CHARACTERS")
            }
            columns.append(ColumnDeclaration(fields, title: title, charactersMax: count))
        }
        return columns
    }

    /// `FIELD[:nocase] ...`
    static func index(_ name: String, _ value: String) throws(DefinitionFault) -> IndexDeclaration {
        var fields: [(name: String, isCaseFolded: Bool)] = []
        for word in DefinitionWords.split(value) {
            let parts = DefinitionWords.parts(word, at: ":", max: 2)
            guard parts.count == 1 || parts[1] == "nocase" else {
                throw DefinitionFault("\"\(word)\" is not a part of an index; write FIELD or FIELD:nocase")
            }
            fields.append((try DefinitionWords.name(parts[0]), parts.count == 2))
        }
        guard !fields.isEmpty else { throw DefinitionFault("the index has no fields; name at least one") }
        return IndexDeclaration(name, fields)
    }

    static func paging(_ value: String) throws(DefinitionFault) -> Paging {
        let words = DefinitionWords.split(value)
        switch (words[0], words.count) {
        case ("link", 1): return .link
        case ("none", 1): return .none
        case ("url", 2): return .url(try DefinitionWords.path(words[1], mayMatch: true))
        case ("cursor", 3...4) where words.count == 3 || words[3] == "alone":
            return .cursor(
                parameter: words[1] == "*" ? nil : words[1], try DefinitionWords.path(words[2]),
                isAlone: words.count == 4)
        case ("last", 3...4) where words.count == 3 || words[3] == "included":
            return .last(
                parameter: words[1], field: try DefinitionWords.name(words[2]), isIncluded: words.count == 4)
        case ("page", 2): return .page(parameter: words[1], first: 1)
        case ("page", 3):
            guard let first = Int64(words[2]), first >= 0 else {
                throw DefinitionFault("\"\(words[2])\" is not the number of a first page; write 0 or 1")
            }
            return .page(parameter: words[1], first: first)
        case ("offset", 2): return .offset(parameter: words[1])
        case ("header", 3): return .header(parameter: words[1], name: words[2])
        default:
            let kinds = ["link", "none", "url", "cursor", "last", "page", "offset", "header"]
            let meant = kinds.contains(words[0]) ? "" : EditDistance.suggestion(for: words[0], in: kinds)
            throw DefinitionFault(
                "\"\(value)\"\(meant) is not one of link, none, url PATH, cursor PARAM PATH [alone], last PARAM FIELD "
                    + "[included], page PARAM [FIRST], offset PARAM, header PARAM NAME")
        }
    }

    /// `[empty] [PATH] [not PATH] [STATUS [TEXT]]`
    static func end(_ words: [String]) throws(DefinitionFault) -> ListEnd {
        var end = ListEnd()
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "empty" {
                end.isEmptyPage = true
            } else if word == "not", let path = rest.popFirst() {
                end.unless = try DefinitionWords.path(path)
            } else if let status = Int(word), (200...599).contains(status) {
                end.status = status
                end.text = rest.isEmpty ? nil : rest.joined(separator: " ").lowercased()
                return end
            } else {
                let meant = EditDistance.suggestion(for: word, in: ["empty"])
                guard word != "not", meant.isEmpty, Int(word) == nil, end.mark == nil else {
                    throw DefinitionFault(
                        "\"\(word)\"\(meant) does not end a list; write empty, PATH, not PATH, or STATUS TEXT"
                    )
                }
                end.mark = try DefinitionWords.path(word)
            }
        }
        return end
    }

    /// Reads `since`, `since-overlap`, `since-start` or `window`.
    static func read(
        _ key: String, _ value: String, into since: inout SinceDeclaration
    ) throws(DefinitionFault) {
        switch key {
        case "since-overlap": since.overlap = try DefinitionWords.age(value)
        case "window":
            since.window = try DefinitionWords.age(value)
            if value == "forever" {
                throw DefinitionFault(
                    "is the length of a period; write a number with s, m, h or d, such as 30d")
            }
        case "since-start":
            guard let start = Timestamp(value) else {
                throw DefinitionFault("\"\(value)\" is not a time; write a date such as 2015-01-01")
            }
            since.start = start
        default:
            // The form may be a pattern with a space.
            let words = value.split(separator: " ", maxSplits: 2).map(String.init)
            since.parameter = words.count == 1 ? nil : words[0]
            since.field = try DefinitionWords.name(words[words.count == 1 ? 0 : 1])
            if words.count == 3 { since.form = try TimeForm(reading: words[2]) }
        }
    }

    /// `ARGUMENT VALUE ...`, with `%20` for a space in a value, or `ARGUMENT {SETTING}`
    static func each(
        _ words: [String], _ settings: Set<String>
    ) throws(DefinitionFault) -> (argument: String, values: [String]) {
        guard words.count > 1, !words[0].hasPrefix("{") else {
            throw DefinitionFault("names an argument and its values: each = site stackoverflow superuser")
        }
        var values: [String] = []
        for word in words.dropFirst() {
            let value = PercentEncoding.decoded(word)
            guard !values.contains(value) else {
                throw DefinitionFault("\"\(word)\" is named twice; remove one")
            }
            if word.hasPrefix("{"), word.hasSuffix("}") {
                let name = String(word.dropFirst().dropLast())
                guard settings.contains(name.withUnderscores) else {
                    throw DefinitionFault("\(word) is not a setting; declare it: setting.\(name) = MEANING")
                }
            }
            values.append(value)
        }
        return (words[0].withUnderscores, values)
    }

    /// `PATH`, `not PATH`, `PATH = VALUE` or `PATH != VALUE`
    static func condition(_ value: String) throws(DefinitionFault) -> RowCondition {
        let words = value.split(separator: " ", maxSplits: 2).map(String.init)
        switch words.count {
        case 1: return RowCondition(path: try DefinitionWords.path(words[0]), isNegated: false)
        case 2 where words[0] == "not":
            return RowCondition(path: try DefinitionWords.path(words[1]), isNegated: true)
        case 3 where words[1] == "=" || words[1] == "!=":
            return RowCondition(
                path: try DefinitionWords.path(words[0]), value: words[2], isNegated: words[1] == "!=")
        default:
            throw DefinitionFault(
                "\"\(value)\" is not a condition; write PATH, not PATH, PATH = VALUE or PATH != VALUE")
        }
    }

    /// `created:{from}..{to} 2007-10-20`, or `id:{from}..{to} 1 1000000`.
    static func split(_ words: [String]) throws(DefinitionFault) -> SearchSplit {
        let ends = words.dropFirst().map(SearchSplit.end)
        guard (2...3).contains(words.count), words[0].contains("{from}"), words[0].contains("{to}"),
            let from = ends[0]
        else {
            throw DefinitionFault(
                "needs words with {from} and {to}, and the beginning of the range: created:{from}..{to} 2007-10-20"
            )
        }
        guard from.unit != .integer || ends.count == 2 else {
            throw DefinitionFault("a range of integers needs an end, too: id:{from}..{to} 1 1000000")
        }
        guard let to = ends.last ?? nil, to.unit == from.unit, from.value <= to.value else {
            throw DefinitionFault(
                "\"\(words.last ?? "")\" is not the end of a range that begins at \(words[1])")
        }
        return SearchSplit(words[0], from.unit, from: from.value, to: ends.count == 2 ? to.value : nil)
    }
}

extension FieldDeclaration.Origin {
    /// Whether the value comes from outside the row's own JSON.
    var isOutside: Bool {
        if case .path = self { false } else { true }
    }
}
