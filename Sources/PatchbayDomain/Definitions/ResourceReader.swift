import PatchbayCore

/// A resource being read, with the lines of its values.
struct ResourceDraft {
    var declaration: ResourceDeclaration
    /// By key without the resource's name: `field.id`.
    var lines: [String: ConfigurationFile.Entry] = [:]
    let firstLine: Int

    /// The line that declares a field: `field.F` or `detail.F`.
    func entry(ofField name: String) -> ConfigurationFile.Entry? {
        let name = name.withHyphens
        return lines["field.\(name)"] ?? lines["detail.\(name)"]
    }

    func field(_ name: String) -> FieldDeclaration? { declaration.fields.first { $0.name == name } }
}

/// Reads the keys of one resource.
package struct ResourceReader {
    typealias Entry = ConfigurationFile.Entry

    private let name: String
    private let entries: [Entry]
    /// The lines whose values are not read, because they contain secrets.
    private let secretLines: Set<Int>
    /// The names of the definition's settings, which may be in every address.
    private let settings: Set<String>
    var draft: ResourceDraft
    var faults: DefinitionFaults

    /// Keys after the resource's name.
    private static let keys = [
        "path", "from", "each", "noun", "send", "rows", "key", "handle", "title", "columns", "show",
        "show-row", "search",
        "search-rows", "search-next", "search-end",
        "search-total", "search-incomplete", "search-cap", "search-split", "edit", "picture", "next", "end",
        "order", "order-is", "since", "since-overlap", "since-start", "window", "where",
        "fresh", "rate", "total", "key-scope", "within", "unsure", "changed", "sync", "hidden", "website",
        "favourite", "find", "find-tokens",
    ]
    /// Keys that are followed by a name.
    private static let groups = ["path", "field", "detail", "index"]

    init(
        _ name: String, _ entries: [Entry], _ secretLines: Set<Int>, settings: Set<String>,
        _ faults: DefinitionFaults
    ) {
        self.name = name
        self.settings = settings
        self.entries = entries
        self.secretLines = secretLines
        self.faults = faults
        draft = ResourceDraft(
            declaration: ResourceDeclaration(
                name.withUnderscores, fields: [], key: [], lists: []), firstLine: entries[0].line)
    }

    /// - Parameter keys: the keys of the API, to suggest one when no line is a resource's.
    /// - Returns: nil when the lines are not a resource's.
    mutating func read(meantBy keys: [String]) -> ResourceDraft? {
        guard entries.contains(where: { isKnown(subkey($0)) }) else {
            for entry in entries { faults.add(entry, unknown(entry.key, keys + knownKeys)) }
            return nil
        }
        do throws(DefinitionFault) {
            _ = try DefinitionWords.name(name)
        } catch {
            faults.add(entries[0], error.problem)
        }
        for entry in entries {
            let subkey = subkey(entry)
            guard isKnown(subkey) else {
                faults.add(entry, unknown(entry.key, knownKeys))
                continue
            }
            draft.lines[subkey] = entry
            if !secretLines.contains(entry.line) { read(entry, subkey) }
        }
        require()
        draft.declaration.lines = DefinitionLines(
            path: faults.path, first: draft.firstLine, lines: draft.lines.mapValues(\.line))
        return draft
    }

    private func subkey(_ entry: Entry) -> String {
        String(Substring(entry.key.utf8.dropFirst(name.utf8.count + 1)))
    }

    /// The group and the name in a key such as `field.id`; nil for a key without a name.
    private static func parts(_ subkey: String) -> (group: String, name: String)? {
        let bytes = subkey.utf8
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return (String(subkey[..<dot]), String(subkey[bytes.index(after: dot)...]))
    }

    private var knownKeys: [String] { ResourceReader.keys.map { "\(name).\($0)" } }

    private func isKnown(_ subkey: String) -> Bool {
        guard let (group, name) = ResourceReader.parts(subkey) else {
            return ResourceReader.keys.contains(subkey)
        }
        return !name.isEmpty && ResourceReader.groups.contains(group)
    }

    private mutating func require() {
        let needed = [
            (
                "path", draft.lines["path"] != nil || draft.lines["from"] != nil,
                "the path of its rows, such as /users"
            ),
            ("key", draft.lines["key"] != nil, "the field that identifies a row, such as id"),
            (
                "field.F", draft.lines.keys.contains { $0.hasPrefix("field.") || $0.hasPrefix("detail.") },
                "its fields, such as \(name).field.id = integer"
            ),
        ]
        for (key, isThere, what) in needed where !isThere {
            faults.add(line: draft.firstLine, "\(name).\(key): is missing; add \(what)")
        }
    }

    private mutating func read(_ entry: Entry, _ subkey: String) {
        do throws(DefinitionFault) {
            if let (group, name) = ResourceReader.parts(subkey) {
                try read(group, named: name, entry.value, into: &draft.declaration)
            } else {
                try read(subkey, entry.value, into: &draft.declaration)
            }
        } catch {
            faults.add(entry, error.problem)
        }
    }
}

// MARK: - Keys

extension ResourceReader {
    private func read(
        _ key: String, _ value: String, into resource: inout ResourceDeclaration
    ) throws(DefinitionFault) {
        switch key {
        case "path":
            resource.lists.insert(ListDeclaration(nil, try template(value, in: .list)), at: 0)
        case "from": resource.lists.insert(ListDeclaration(nil, try Template(readingField: value)), at: 0)
        case "each": resource.each = try ResourceReader.each(DefinitionWords.split(value), settings)
        case "noun":
            let words = DefinitionWords.split(value)
            guard words.count == 2 else {
                throw DefinitionFault("\"\(value)\" is not two words; write singular and plural: user users")
            }
            (resource.singular, resource.plural) = (words[0].withSpaces, words[1].withSpaces)
        case "send": resource.send = try DefinitionWords.choice(value, ParameterPlace.self)
        case "rows": resource.rows = try DefinitionWords.path(value, ofRows: true)
        case "key": resource.key = try DefinitionWords.names(value)
        case "handle": resource.handle = try ResourceReader.handle(value)
        case "title": resource.title = try DefinitionWords.names(value)
        case "columns": resource.columns = try ResourceReader.columns(value)
        case "show": resource.show = try template(value, in: .show)
        case "show-row": resource.showRows = try DefinitionWords.path(value)
        case "edit": resource.editable = try DefinitionWords.names(value)
        case "hidden": resource.hidden = try DefinitionWords.names(value)
        case "website": resource.website = try DefinitionWords.name(value)
        case "favourite": resource.favourite = try DefinitionWords.names(value)
        case "find": resource.find = try DefinitionWords.names(value)
        case "find-tokens": resource.findTokens = try DefinitionWords.choice(value, FindTokens.self)
        case "picture": resource.picture = try DefinitionWords.name(value)
        case "order": resource.order = try DefinitionWords.name(value)
        case "within": resource.within = try DefinitionWords.name(value)
        case "unsure": resource.unsure = try DefinitionWords.name(value)
        case "fresh": resource.fresh = try DefinitionWords.age(value)
        case "rate": resource.pace = try DefinitionWords.pace(value)
        case "next":
            resource.paging = try ResourceReader.paging(value)
            resource.isPagingDeclared = true
        case "total":
            resource.hasNoTotal = value == "none"
            resource.total = resource.hasNoTotal ? nil : try DefinitionWords.path(value)
        case "key-scope":
            guard value == "api" else {
                throw DefinitionFault(
                    "\"\(value)\" is not known; write api if a key identifies a row in all lists, or remove the line"
                )
            }
            resource.isKeyOfAPI = true
        case "end": resource.end = try ResourceReader.end(DefinitionWords.split(value))
        case "since", "since-overlap", "since-start", "window":
            // The field has its own key, which may be on a later line.
            var since = resource.since ?? SinceDeclaration(parameter: nil, field: "")
            try ResourceReader.read(key, value, into: &since)
            resource.since = since
        case "where": resource.condition = try ResourceReader.condition(value)
        case "order-is":
            guard value == "fixed" else {
                throw DefinitionFault("\"\(value)\" is not known; write fixed, or remove the line")
            }
            resource.isOrderFixed = true
        case "sync":
            guard value == "named" else {
                throw DefinitionFault("\"\(value)\" is not known; write named, or remove the line")
            }
            resource.isVast = true
        case "changed":
            // `{other.field}`; its form and the parent are checked with the other resources.
            resource.changedAt = value.dropFirst().dropLast().split(separator: ".").last?.withUnderscores
        default: try readSearch(key, value, into: &resource)
        }
    }

    private func template(_ text: String, in place: Template.Place) throws(DefinitionFault) -> Template {
        try Template(reading: text, in: place, settings: settings)
    }

    private func readSearch(
        _ key: String, _ value: String, into resource: inout ResourceDeclaration
    ) throws(DefinitionFault) {
        // The template has its own key, which may be on a later line.
        var search = resource.search ?? SearchDeclaration(Template([]))
        switch key {
        case "search": search.template = try template(value, in: .search)
        case "search-rows": search.rows = try DefinitionWords.path(value, ofRows: true)
        case "search-total": search.total = try DefinitionWords.path(value)
        case "search-incomplete": search.incomplete = try DefinitionWords.path(value)
        case "search-next": search.paging = try ResourceReader.paging(value)
        case "search-end": search.pageEnd = try ResourceReader.end(DefinitionWords.split(value))
        case "search-split": search.split = try ResourceReader.split(DefinitionWords.split(value))
        default:
            let words = DefinitionWords.split(value)
            guard let cap = Int64(words[0]), cap > 0 else {
                throw DefinitionFault("\"\(value)\" does not begin with a number; write N or N STATUS TEXT")
            }
            search.cap = cap
            search.end = try ResourceReader.end(Array(words.dropFirst()))
        }
        resource.search = search
    }

    private func read(
        _ group: String, named word: String, _ value: String, into resource: inout ResourceDeclaration
    ) throws(DefinitionFault) {
        let name = try DefinitionWords.name(word)
        switch group {
        case "path":
            resource.lists.append(ListDeclaration(word, try template(value, in: .list)))
        case "field", "detail":
            resource.fields.append(try ResourceReader.field(name, value, isDetail: group == "detail"))
        default: resource.indexes.append(try ResourceReader.index(name, value))
        }
    }
}
