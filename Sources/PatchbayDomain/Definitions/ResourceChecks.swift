import PatchbayCore

/// Checks the lines of a definition against each other: names must be declared, types must fit, and parents must not
/// form a circle.
package struct ResourceChecks {
    let drafts: [ResourceDraft]
    /// The prefix of the resources' collections; empty when its line is missing or at fault.
    private let api: String
    private let hasErrorTexts: Bool
    var faults: DefinitionFaults

    /// - Parameter hasErrorTexts: whether the definition states where the text of an error is.
    init(_ drafts: [ResourceDraft], api: String, hasErrorTexts: Bool, _ faults: DefinitionFaults) {
        self.drafts = drafts
        self.api = api
        self.hasErrorTexts = hasErrorTexts
        self.faults = faults
    }

    mutating func check() {
        for draft in drafts {
            checkNames(draft)
            checkReferences(draft)
            checkAddresses(draft)
            checkTimes(draft)
            checkParents(draft)
            checkStored(draft)
            checkEach(draft)
        }
        checkCircles()
    }

    func draft(named name: String) -> ResourceDraft? { drafts.first { $0.declaration.name == name } }

    func spelled(_ name: String) -> String { name.withHyphens }
}

// MARK: - Fields

extension ResourceChecks {
    /// The names under which the command and the server add something to a row.
    package static let addedNames: Set = [
        "change", "detail_fetched_at", "favourite", "fetched_at", "found_by", "gone_at", "has_detail",
        "is_favourite", "missing_since", "refusal", "refusal_reason", "refused_at", "source_state",
    ]

    /// Finds names that differ only in case, hyphens and underscores, and names that a column of the gateway has.
    private mutating func checkNames(_ draft: ResourceDraft) {
        let resource = draft.declaration
        let kept = ItemState.names
        var seen: [String: String] = [:]
        let columns = Dictionary(resource.fields.map { ($0.column, $0.name) }) { first, _ in first }
        for field in resource.fields {
            guard let entry = draft.entry(ofField: field.name) else { continue }
            let folded = ResourceField.folded(field.name)
            if let other = seen[folded] {
                faults.add(entry, "differs from \(spelled(other)) only in hyphens; choose another name")
            }
            seen[folded] = field.name
            if kept.contains(field.column) || kept.contains(field.name) {
                faults.add(
                    entry, "the gateway itself uses the column \(field.column); choose another name")
            } else if Self.addedNames.contains(field.name) {
                faults.add(entry, "Patchbay itself adds \(field.name) to rows; choose another name")
            }
            for suffix in ["_override", "_folded", "_ms"] where field.name.hasSuffix(suffix) {
                let base = String(field.name.dropLast(suffix.count))
                guard resource.fields.contains(where: { $0.name == base }) else { continue }
                faults.add(
                    entry,
                    "the column \(field.name) belongs to the field \(spelled(base)); choose another name")
            }
            if let other = columns[field.column], other != field.name {
                faults.add(entry, "has the same column as \(spelled(other)); choose another name")
            }
        }
        checkLengths(draft)
        checkCount(draft)
    }

    /// Finds names from which the gateway derives names of a collection, columns and indexes that no storage accepts.
    private mutating func checkLengths(_ draft: ResourceDraft) {
        let resource = draft.declaration, layout = ResourceLayout(resource, api: api)
        if !api.isEmpty, layout.name.utf8.count > Field.nameBytesMax {
            faults.add(
                line: draft.firstLine,
                "\(spelled(resource.name)): the name of its collection, \(layout.name), has more than "
                    + "\(Field.nameBytesMax) bytes; shorten this name or api, to \(Field.nameBytesMax - 1) bytes "
                    + "together")
        }
        for field in resource.fields where field.bytesMax != nil && resource.key.contains(field.name) {
            guard let entry = draft.entry(ofField: field.name) else { continue }
            faults.add(entry, "a text of the key cannot be cut; two keys may begin with the same part")
        }
        for field in resource.fields {
            guard let entry = draft.entry(ofField: field.name),
                let longest = layout.names(derivedFrom: field).max(by: { $0.utf8.count < $1.utf8.count }),
                longest.utf8.count > Field.nameBytesMax
            else { continue }
            faults.add(
                entry,
                "the name of its column or index \(longest) has more than \(Field.nameBytesMax) bytes; shorten "
                    + "this name to \(Field.nameBytesMax - longest.utf8.count + field.name.utf8.count) bytes")
        }
    }

    private mutating func checkCount(_ draft: ResourceDraft) {
        let resource = draft.declaration
        let folded = resource.title.filter { $0 != resource.handle?.field }
        let kept = ItemState.fields.count, limit = kept + ItemState.declaredMax
        let count = kept + resource.fields.count + resource.editable.count + folded.count
        guard count > limit else { return }
        faults.add(
            line: draft.firstLine,
            "\(spelled(resource.name)): needs \(count) columns (\(resource.fields.count) fields, "
                + "\(kept + resource.editable.count + folded.count) for the gateway); the limit is \(limit), "
                + "so remove \(count - limit) fields or combine several into one of type json")
    }

    /// Each field that a key names must be declared and have an allowed type.
    private mutating func checkReferences(_ draft: ResourceDraft) {
        let resource = draft.declaration
        let scalar: [ValueType] = [.text, .integer, .boolean, .time]
        require(resource.key, [.integer, .text], draft, "key")
        require(resource.handle.map { [$0.field] }, [.integer, .text], draft, "handle")
        require(resource.title, [.text], draft, "title")
        require(resource.editable, [.text], draft, "edit")
        require(resource.picture.map { [$0] }, [.text], draft, "picture")
        require(resource.order.map { [$0] }, [.integer], draft, "order")
        require(resource.within.map { [$0] }, [.integer, .text], draft, "within")
        require(resource.unsure.map { [$0] }, [.boolean], draft, "unsure")
        require(resource.columns.flatMap(\.fields), nil, draft, "columns")
        require(resource.hidden, nil, draft, "hidden")
        require(resource.website.map { [$0] }, [.text], draft, "website")
        require(resource.favourite, nil, draft, "favourite")
        require(resource.find, [.text, .json], draft, "find")
        if let entry = draft.lines["find-tokens"], draft.lines["find"] == nil {
            faults.add(entry, "has no meaning without \(spelled(resource.name)).find")
        }
        for index in resource.indexes {
            let key = "index.\(spelled(index.name))"
            if index.name == ResourceLayout.changeIndexName, let entry = draft.lines[key] {
                faults.add(entry, "the gateway itself has an index of this name; choose another")
            }
            require(index.fields.map(\.name), scalar, draft, key)
            require(index.fields.filter(\.isCaseFolded).map(\.name), [.text], draft, key)
        }
        for (paging, key) in [(resource.paging, "next"), (resource.search?.paging, "search-next")] {
            guard case .last(_, let field, _) = paging else { continue }
            require([field], [.integer, .text] + (resource.send == .json ? [.json] : []), draft, key)
        }
    }

    mutating func require(
        _ names: [String]?, _ types: [ValueType]?, _ draft: ResourceDraft, _ key: String
    ) {
        guard let entry = draft.lines[key] else { return }
        for name in names ?? [] {
            guard let field = draft.field(name) else {
                let known = draft.declaration.fields.map { spelled($0.name) }
                let meant = EditDistance.suggestion(for: spelled(name), in: known)
                faults.add(
                    entry,
                    "\(spelled(draft.declaration.name)) has no field \"\(spelled(name))\"\(meant); declare it"
                )
                continue
            }
            if let types, !types.contains(field.type) {
                let words = types.map(\.rawValue).joined(separator: " or ")
                faults.add(entry, "the field \(spelled(name)) is \(field.type.rawValue); it must be \(words)")
            }
            if key == "key", field.isDetail || field.isLenient {
                faults.add(
                    entry,
                    "the field \(spelled(name)) is optional; a key field must have a value in every row")
            }
        }
    }
}

// MARK: - Addresses

extension ResourceChecks {
    private mutating func checkAddresses(_ draft: ResourceDraft) {
        let resource = draft.declaration
        if let entry = draft.lines["show"], let show = resource.show {
            if show.parameters.contains(.key) {
                if resource.key.count > 1 { faults.add(entry, "has {key}, but the key has several fields") }
            } else if !show.parameters.contains(.handle) {
                faults.add(entry, "has no {handle} or {key}; add it where a row is named")
            } else if resource.handle == nil, resource.key.count > 1 {
                faults.add(
                    entry, "needs a handle, because the key has several fields; add \(resource.name).handle")
            }
        }
        if let search = resource.search {
            let keys = [
                "search", "search-rows", "search-next", "search-end", "search-total",
                "search-incomplete", "search-cap", "search-split",
            ]
            guard let entry = keys.lazy.compactMap({ draft.lines[$0] }).first else { return }
            if search.template.pieces.isEmpty {
                faults.add(entry, "there is no search; add \(spelled(resource.name)).search = /PATH?q={text}")
            } else if !search.template.parameters.contains(.text) {
                faults.add(entry, "has no {text}; add it where the text goes")
            }
        }
        if let entry = draft.lines["order"],
            !resource.lists.contains(where: { $0.name == nil && $0.template.parameters.contains(.after) })
        {
            faults.add(
                entry,
                "is for a list that can be entered anywhere; add {after} to \(spelled(resource.name)).path, or remove "
                    + "this line")
        }
        let ends = [
            ("end", resource.end), ("search-end", resource.search?.pageEnd),
            ("search-cap", resource.search?.end),
        ]
        for (key, end) in ends where end?.text != nil && !hasErrorTexts {
            guard let entry = draft.lines[key] else { continue }
            faults.add(entry, "contains the text of an error; state where errors have it: error.text = PATH")
        }
        for list in resource.lists where list.template.parameters.contains(.after) && resource.order == nil {
            guard let entry = draft.lines[list.name.map { "path.\($0)" } ?? "path"] else { continue }
            faults.add(
                entry, "has {after}, but the list has no order; add \(spelled(resource.name)).order = FIELD")
        }
    }

    /// The lines that are about requests, which a list in stored rows does not cause.
    private static let aboutRequests = [
        "path", "next", "end", "send", "since", "since-overlap", "since-start", "window", "order",
        "changed",
        "fresh", "rate", "sync", "each",
    ]

    /// Checks `from`: the rows are in a `json` field of the parent, and no request is sent for them.
    mutating func checkStored(_ draft: ResourceDraft) {
        guard let entry = draft.lines["from"] else { return }
        for (key, other) in draft.lines.sorted(by: { $0.value.line < $1.value.line })
        where Self.aboutRequests.contains(key) || key.hasPrefix("path.") {
            // The field has the whole list.
            if key == "next", draft.declaration.paging == .none { continue }
            faults.add(
                other, "is about requests, but \(spelled(draft.declaration.name)).from needs none; remove one"
            )
        }
        guard case .field(let parent, let name)? = draft.declaration.lists.first?.template.parameters.first,
            let field = self.draft(named: parent)?.field(name), field.type != .json
        else { return }
        faults.add(entry, "the field \(spelled(name)) is \(field.type.rawValue); it must be json")
    }

    /// Checks `each`: its argument must be the only one of the default list, besides a parent's row.
    mutating func checkEach(_ draft: ResourceDraft) {
        guard let entry = draft.lines["each"], let each = draft.declaration.each else { return }
        let list = draft.declaration.list(named: nil)?.template
        guard list?.arguments.map(\.withUnderscores) == [each.argument] else {
            let noun = spelled(draft.declaration.name)
            return faults.add(
                entry,
                list?.takes(each.argument) == true
                    ? "gives values to one argument, but \(noun).path has further ones"
                    : "\(noun).path has no argument {\(spelled(each.argument))}; add it there, or remove this line"
            )
        }
    }
}
