import PatchbayCore
import PatchbayDomain

/// Writes a draft.
struct DraftWriter {
    private(set) var resources: [DraftResource]
    var summary = DraftSummary()
    /// The lists to write; nil writes all.
    var only: Set<Int>?
    /// The templates of the lists that were written.
    private(set) var templates: [Int: Template] = [:]
    let base: [String]
    /// The settings in the addresses, whose words there are marked until the draft is written out.
    let settings: [String]
    /// The names of the headers that most lists require.
    var commonHeaders: Set<String> = []
    var text = DraftText()

    init(_ resources: [DraftResource], base: [String], settings: [String] = []) {
        (self.resources, self.base, self.settings) = (resources, base, settings)
        var wanted: [Int: [[String]]] = [:]
        for parent in resources.compactMap(\.parent) {
            wanted[parent.place, default: []] += parent.paths.values
        }
        for place in resources.indices {
            let hasParent = resources[place].parent != nil
            // The key may need a field for each variable and each argument.
            let arguments = resources[place].group.samples[0].parameters.count { $0.value.hasPrefix("{") }
            let owners = max(hasParent ? 1 : 0, resources[place].group.variables.count) + arguments
            self.resources[place].table.chooseFields(wanted: wanted[place] ?? [], others: owners + 1)
        }
    }
}

// MARK: - Resources

extension DraftWriter {
    /// Room for what follows the resources.
    private static let restBytes = 1 << 12

    /// Writes the resources, or those with the shortest addresses if a definition has no room for all.
    mutating func writeResources() {
        var left = ConfigurationFile.bytesMax - Self.restBytes - text.bytes
        // The address of a list is longer than that of its parent.
        let order = resources.indices.ordered { [resources[$0].group.parts.count] }
        let kept = Set(
            order.filter { only?.contains($0) ?? true }.prefix { place in
                var trial = self
                trial.text = DraftText()
                trial.write(place)
                left -= trial.text.bytes + 1
                return left >= 0
            })
        for place in resources.indices where kept.contains(place) { write(place) }
        let wanted = only?.count ?? resources.count
        guard kept.count < wanted else { return }
        summary.leftOut.append("\(Count.words(wanted - kept.count, "list")) with longer addresses")
        text.blank()
        text.comment(
            "\(Count.words(wanted - kept.count, "list")) with longer addresses were left out, because "
                + "a definition has at most \(ConfigurationFile.bytesMax >> 10) KiB.")
    }

    private mutating func write(_ place: Int) {
        let resource = resources[place], name = resource.name, table = resource.table
        text.blank()
        if !resource.group.isDescribed {
            let answers = Count.words(resource.group.samples.count, "answer")
            text.comment("\(Count.words(table.survey.rowCount, "row")) in \(answers).")
        }
        let key = table.key.first.flatMap { path in
            table.field(at: path).map { (path: path, field: $0.name) }
        }
        let paging = DraftPaging(
            resource.group.samples, rows: resource.group.rowsPath, key: key, json: table.jsonMembers)
        writePath(place, paging)
        let send = resource.group.samples[0].send
        if send != .query { text.set("\(name).send", send.rawValue) }
        if !resource.group.otherPlaces.isEmpty {
            let others = resource.group.otherPlaces.prefix(5).map(\.description)
            text.comment("Other arrays of objects: \(DraftWords.list(others)).")
        }
        if resource.group.rowsPath != .whole { text.set("\(name).rows", resource.group.rowsPath.description) }
        for comment in paging.comments {
            text.comment(comment.prefix(1).uppercased() + comment.dropFirst() + ".")
        }
        if let next = paging.next { text.set("\(name).next", next) }
        if let end = paging.end { text.set("\(name).end", end) }
        writeKey(place)
        summary.lists.append(
            DraftSummary.List(
                name: name, paging: paging.next?.split(separator: " ").first.map(String.init),
                isKeyGuess: !table.key.isEmpty && table.isKeyGuess, isKeyPlace: table.key.isEmpty,
                doubts: paging.doubts + doubts(of: resource.group),
                isDirect: templates[place]?.parameters.isEmpty ?? true))
        writeShow(place)
        writeFields(place)
    }

    private mutating func writePath(_ place: Int, _ paging: DraftPaging) {
        let resource = resources[place], key = "\(resource.name).path"
        let (first, kept) = paging.start
        let secrets = first.parameters.filter { item in
            DraftPath.mayBeSecret(item) && !paging.parameters.contains(item.name)
        }.map(\.name)
        if !secrets.isEmpty {
            text.comment("Left out, because it may be a secret: \(DraftWords.list(secrets)).")
        }
        var arguments = DraftArguments(settings: settings)
        let path = template(place, &arguments)
        let candidates = [
            path + DraftPath.query(first, without: paging.parameters.subtracting(kept), &arguments), path,
            "/" + resource.name,
        ]
        // If this is not a valid template, the next candidate is tried.
        for template in candidates {
            guard let read = try? Template(reading: template, in: .list), text.set(key, template) else {
                continue
            }
            templates[place] = read
            return
        }
    }

    /// The path, with its variables as arguments or as fields of the parent.
    private mutating func template(_ place: Int, _ arguments: inout DraftArguments) -> String {
        let resource = resources[place]
        let segments = Array(resource.group.segments.dropFirst(base.count))
        guard !segments.isEmpty else { return "/" + resource.name }
        if let parent = resource.parent {
            let other = resources[parent.place].name
            text.comment(
                "One request for each stored row of \(other), because the path contains a value of that row.")
        } else if !resource.group.variables.isEmpty {
            text.comment("The word in braces is an argument of the list.")
        }
        return segments.enumerated().map { number, segment in
            guard segment.values != nil else { return "/" + segment.text }
            let before = segments[..<number].last { $0.values == nil }?.decoded ?? "value"
            let wanted = segment.name ?? EnglishNoun.singular(DraftWords.name(before, other: "value"))
            let name =
                parentField(of: resource, in: number + base.count)
                ?? arguments.take(wanted, suffix: "-name")
            // A part may have further variables.
            let after = segment.after.replacing(/\{([^{}]*)\}/) {
                "{\(arguments.take(DraftWords.name(String($0.output.1), other: "value"), suffix: "-name"))}"
            }
            return "/\(segment.before){\(name)}\(after)"
        }.joined()
    }

    /// The field of the parent, as a template names it, whose value a variable of a list's path takes.
    private func parentField(of resource: DraftResource, in variable: Int) -> String? {
        guard let parent = resource.parent else { return nil }
        let inherited = resource.inherited.contains(variable) ? parentField(parent.place)?.name : nil
        let own = parent.paths[variable].flatMap { resources[parent.place].table.field(at: $0)?.name }
        return (inherited ?? own).map { "\(resources[parent.place].name).\($0)" }
    }

    private mutating func writeKey(_ place: Int) {
        let resource = resources[place], table = resource.table, name = resource.name
        if let key = table.key.first.flatMap({ table.field(at: $0) }) {
            let others = table.otherKeys.compactMap { table.field(at: $0)?.name }
            let verb = others.count == 1 ? "is" : "are"
            let rest = others.isEmpty ? "" : "; so \(verb) \(DraftWords.list(others, max: 5))"
            if resource.isKeyOfParent, let parent = parentField(place) {
                text.comment("\(key.name) is unique only among the rows of one parent.")
                text.set("\(name).key", "\(parent.name) \(key.name)")
            } else {
                // A key need not distinguish the rows of two lists.
                let owners = keyOwners(place).map(\.name).filter { $0 != key.name }
                let rows = Count.words(table.survey.rowCount, "row")
                let extent =
                    table.survey.rowCount == 1 ? "the only row" : table.isKeyRepeated ? "each answer" : rows
                text.comment(
                    resource.group.isDescribed
                        ? table.isKeyGuess
                            ? "Nothing in the document says what identifies a row; \(key.name) is a guess."
                            : owners.isEmpty
                                ? "\(key.name) is probably the key; check that it is unique."
                                : "\(key.name) probably identifies a row of one list; nothing in the document says "
                                    + "that two lists have no equal ones."
                        : "\(key.name) is set and unique in \(extent)\(rest)"
                            + (table.isKeyGuess ? "; this is a guess." : "."))
                text.set("\(name).key", (owners + [key.name]).joined(separator: " "))
            }
        } else {
            text.comment(
                "Only its place in the list identifies a row in this sample; look for a better key."
            )
            let owners = keyOwners(place).map(\.name)
            let field = resources[place].table.takeName("place", .integer)
            text.set("\(name).key", (owners + [field]).joined(separator: " "))
            text.set("\(name).field.\(field)", "integer @place")
        }
        if let handle = table.handle.flatMap({ table.field(at: $0) }) {
            let parts = resource.group.show.map { _ in handleParts(resource) } ?? ""
            text.comment(
                resource.group.isDescribed
                    ? "People may refer to a row by \(handle.name); check that it is unique."
                    : "\(handle.name) is also unique, so people can refer to a row by it.")
            text.set("\(name).handle", handle.name + parts)
        }
        let titles = table.titles.compactMap { table.field(at: $0)?.name }
        if !titles.isEmpty { text.set("\(name).title", titles.joined(separator: " ")) }
    }

    /// The parts of a handle whose values all contain the same number of slashes.
    private func handleParts(_ resource: DraftResource) -> String {
        let words = resource.table.handle.flatMap { resource.table.survey[$0]?.words } ?? []
        let counts = Set(words.map { $0.split(separator: "/", omittingEmptySubsequences: false).count })
        guard let count = counts.first, counts.count == 1, count > 1 else { return "" }
        return " " + (count == 2 ? "OWNER/NAME" : (1...count).map { "PART\($0)" }.joined(separator: "/"))
    }

    private mutating func writeShow(_ place: Int) {
        let resource = resources[place]
        guard let show = resource.group.show else { return }
        let prefix = DraftPath.fixed(base)
        let template =
            show.template.hasPrefix(prefix + "/")
            ? String(show.template.dropFirst(prefix.count)) : show.template
        let hasHandle = resource.table.handle.map { resource.table.field(at: $0) != nil } ?? false
        let hasKey =
            resource.table.key.count == 1 && !resource.isKeyOfParent && keyOwners(place).isEmpty
        guard template.contains("{handle}") ? hasHandle || hasKey : hasKey,
            // An address that is not a valid template is left out.
            (try? Template(reading: template, in: .show)) != nil
        else { return }
        text.comment(
            resource.group.isDescribed
                ? "The document has this address of one row."
                : "The address of an answer with one row contained its name or key.")
        text.set("\(resource.name).show", template)
        if show.row != .whole { text.set("\(resource.name).show-row", show.row.description) }
    }

    /// The field with the key of the row to which a list belongs; its value is nil when the rows contain it themselves.
    func parentField(_ place: Int) -> (name: String, value: String?)? {
        guard let parent = resources[place].parent else { return nil }
        let other = resources[parent.place]
        guard !other.isKeyOfParent, let path = other.table.key.first, let key = other.table.field(at: path)
        else {
            return nil
        }
        let own = resources[place].table.field(at: path)
        if let own, own.type == key.type, path.count == 1, DraftWords.split(path[0]).count > 1 {
            return (own.name, nil)
        }
        let name = "\(other.singular)-\(key.name)"
        var names = resources[place].table
        return (names.takeName(name, key.type), "\(key.type.rawValue) {\(other.name).\(key.name)}")
    }

    private mutating func writeFields(_ place: Int) {
        let resource = resources[place], table = resource.table
        for owner in ownerFields(place) {
            if let value = owner.value { text.set("\(resource.name).field.\(owner.name)", value) }
        }
        for field in table.fields { write(field, "\(resource.name).field") }
        if !table.detailFields.isEmpty {
            text.comment("Only the row's own address returned these.")
            for field in table.detailFields { write(field, "\(resource.name).detail") }
        }
        let spelled = table.leftOut.map { $0.joined(separator: "/") }
        if !spelled.isEmpty {
            let most = ItemState.declaredMax
            text.comment(
                "Left out, because a resource has at most \(most) fields: \(DraftWords.list(spelled, max: 30))."
            )
        }
        if table.survey.unseen > 0 {
            text.comment("The rows have further members, which were not examined.")
        }
        if !table.unspeakable.isEmpty {
            let names = table.unspeakable.map { "\"\(DraftWords.shown($0.joined(separator: "/")))\"" }
            text.comment("Left out, because no path can name them: \(DraftWords.list(names)).")
        }
    }

    private mutating func write(_ field: DraftField, _ group: String) {
        guard let value = field.value else { return }
        if let reason = field.reason { text.comment("\(field.name) \(reason).") }
        text.set("\(group).\(field.name)", value)
    }
}
