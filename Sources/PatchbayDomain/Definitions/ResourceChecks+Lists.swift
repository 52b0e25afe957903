import PatchbayCore

extension ResourceChecks {
    /// The lines that are about requests, which a list in stored rows does not cause.
    private static let aboutRequests = [
        "path", "next", "end", "total", "send", "since", "since-overlap", "since-start", "window", "order",
        "changed",
        "fresh", "rate", "sync", "each",
    ]

    /// Checks `from`: the rows are in a `json` field of the parent, and no request is sent for them.
    mutating func checkStored(_ draft: ResourceDraft) {
        guard let entry = draft.lines["from"] else { return }
        for (key, other) in draft.lines.sorted(by: { $0.value.line < $1.value.line })
        where Self.aboutRequests.contains(key) || key.hasPrefix("path.") {
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
