import PatchbayCore

extension ResourceChecks {
    mutating func checkParents(_ draft: ResourceDraft) {
        let resource = draft.declaration
        for list in resource.lists {
            guard let entry = draft.lines[list.name.map { "path.\($0)" } ?? "path"] ?? draft.lines["from"]
            else {
                continue
            }
            for case .field(let parent, let field) in list.template.parameters {
                check(parent, field, entry)
                if let first = resource.parent, first != parent {
                    faults.add(
                        entry,
                        "names fields of \(spelled(first)) and of \(spelled(parent)); a resource has one parent"
                    )
                }
            }
        }
        for (key, entry) in draft.lines where key == "changed" || entry.value.utf8.contains(UInt8(ascii: "{"))
        {
            guard key == "changed" || key.hasPrefix("field.") else { continue }
            checkParentField(entry, key, draft)
        }
    }

    /// Checks `{other.field}` in a field or in `changed`: `other` must be the parent.
    private mutating func checkParentField(
        _ entry: ConfigurationFile.Entry, _ key: String, _ draft: ResourceDraft
    ) {
        let word = DefinitionWords.split(entry.value).last ?? ""
        let parts = word.dropFirst().dropLast().split(separator: ".")
            .map(\.withUnderscores)
        if key != "changed", let field = draft.field(draft.name(ofKey: key)),
            case .argument(let name) = field.origin
        {
            return checkArgument(name, entry, draft)
        }
        guard word.hasPrefix("{"), word.hasSuffix("}"), parts.count == 2 else {
            if key == "changed" {
                faults.add(entry, "\"\(entry.value)\" is not a parent's field; write {RESOURCE.FIELD}")
            }
            return
        }
        guard parts[0] == draft.declaration.parent else {
            let parent = draft.declaration.parent.map { "its parent is \(spelled($0))" } ?? "it has no parent"
            return faults.add(
                entry, "names \(spelled(parts[0])), but \(parent); a path with {RESOURCE.FIELD} makes one")
        }
        check(parts[0], parts[1], entry)
        if key == "changed", let field = self.draft(named: parts[0])?.field(parts[1]), field.type != .time {
            faults.add(entry, "the field \(spelled(field.name)) is \(field.type.rawValue); it must be time")
        }
        if key != "changed", let own = draft.field(draft.name(ofKey: key)),
            let field = self.draft(named: parts[0])?.field(parts[1]), field.type != own.type
        {
            faults.add(
                entry,
                "is \(own.type.rawValue), but \(spelled(parts[0])).\(spelled(field.name)) is "
                    + "\(field.type.rawValue); use the same type")
        }
    }

    /// Checks `{argument}` in a field: each list must take it, because every row needs a value.
    private mutating func checkArgument(
        _ name: String, _ entry: ConfigurationFile.Entry, _ draft: ResourceDraft
    ) {
        let resource = draft.declaration
        for list in resource.lists where !list.template.takes(name) {
            let path = list.name.map { "path.\($0)" } ?? "path"
            return faults.add(
                entry,
                "\(spelled(resource.name)).\(path) has no argument {\(spelled(name))}; add it there, or name one that "
                    + "every list has")
        }
        if resource.search != nil {
            faults.add(entry, "a search has no argument {\(spelled(name))}; remove the field or the search")
        }
    }

    private mutating func check(_ parent: String, _ field: String, _ entry: ConfigurationFile.Entry) {
        guard let found = draft(named: parent) else {
            let meant = EditDistance.suggestion(for: parent, in: drafts.map(\.declaration.name))
            return faults.add(
                entry, "there is no resource \"\(spelled(parent))\"\(meant); add it, or correct the name")
        }
        guard found.field(field) == nil else { return }
        let known = found.declaration.fields.map { spelled($0.name) }
        let meant = EditDistance.suggestion(for: spelled(field), in: known)
        faults.add(entry, "\(spelled(parent)) has no field \"\(spelled(field))\"\(meant); declare it")
    }

    /// A resource must not be its own ancestor. Each circle is reported once, at its first resource.
    mutating func checkCircles() {
        var reported: Set<String> = []
        let parents = Dictionary(drafts.map { ($0.declaration.name, $0.declaration.parent) }) { first, _ in
            first
        }
        for draft in drafts {
            var trail = [draft.declaration.name]
            while let parent = parents[trail.last!] ?? nil, !trail.contains(parent) { trail.append(parent) }
            guard parents[trail.last!] == trail[0], reported.isDisjoint(with: trail),
                let entry = draft.lines["path"]
            else { continue }
            reported.formUnion(trail)
            let circle = (trail + [trail[0]]).map(spelled).joined(separator: " needs ")
            faults.add(
                entry, "the parents form a circle: \(circle); give one of them a list without a parent")
        }
    }
}

extension ResourceDraft {
    fileprivate func name(ofKey key: String) -> String {
        key.drop { $0 != "." }.dropFirst().withUnderscores
    }
}
