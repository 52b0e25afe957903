import PatchbayJSON

/// Reads how the connector changes rows, which a definition reads as the answer has them.
extension AirbyteStream {
    mutating func readChanges(_ stream: Component) {
        for change in manifest.components("transformations", of: stream) {
            switch change.type {
            case "AddFields" where change.className == nil:
                readAdded(manifest.components("fields", of: change))
            // A member that the connector removes may stay in the answer.
            case "RemoveFields" where change.className == nil: continue
            default:
                let name = change.className ?? change.type
                note(
                    "the connector changes rows by \(DraftWords.shown(name)); correct the paths of the fields and "
                        + "of the key, which must be those of the answer", name)
                changes.append(name)
            }
        }
    }

    /// Reads members that are added: a copy is read at the place of its original, and other values are not declared,
    /// except one that is computed from the member of the same name.
    private mutating func readAdded(_ fields: [Component]) {
        for field in fields {
            let path = field.value["path"]?.elements.compactMap(\.word) ?? []
            guard path.count == 1, let value = field.value["value"]?.word else { continue }
            if case .record(let original)? = AirbyteTemplate(value, field.parameters).expression {
                // A copy of a copy is read at the place of the first one.
                moved[path[0]] = (moved[original[0]] ?? [original[0]]) + original.dropFirst()
            } else if Self.reads(path[0], value) {
                changed.insert(path[0])
            } else {
                if case .partition(let name)? = AirbyteTemplate(value, field.parameters).expression {
                    given[path[0]] = values[name]
                }
                computed.insert(path[0])
            }
        }
        let text = "fields that the connector computes are not declared"
        if !computed.isSubset(of: given.keys), !notes.contains(text) { note(text) }
    }

    /// Whether an expression reads this member of the row, which the answer therefore has.
    private static func reads(_ member: String, _ expression: String) -> Bool {
        expression.matches(
            of: /record\s*(?:\.\s*get\s*\(\s*|\[\s*|\.\s*)(?:"([^"]+)"|'([^']+)'|([A-Za-z_][A-Za-z0-9_]*))/
        ).contains { $0.output.1 ?? $0.output.2 ?? $0.output.3 == member[...] }
    }

    /// Drops a key or a time that the connector computes, because the answer does not have it.
    mutating func dropComputed() {
        func isComputed(_ path: [String]) -> Bool {
            path.first.map { computed.contains($0) && given[$0] == nil } ?? false
        }
        if let part = key.first(where: isComputed) {
            note("the connector computes \(DraftWords.shown(part.joined(separator: "/"))), a part of the key")
            key = []
        } else if let part = key.first(where: { changed.contains($0[0]) }) {
            note(
                "the connector changes \(DraftWords.shown(part[0])), a part of the key, for which the answer's is a "
                    + "guess")
            isKeyGuessed = true
        }
        if let path = since?.path, isComputed(path) {
            let words = DraftWords.shown(path.joined(separator: "/"))
            guard since?.window == nil else {
                return note(
                    "the connector computes \(words), the time of a row; correct the field with the time")
            }
            note("the connector computes \(words), the time of a row, so later syncs fetch the whole list")
            since = nil
        }
    }
}
