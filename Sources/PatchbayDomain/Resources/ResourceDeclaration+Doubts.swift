import PatchbayCore

extension ResourceDeclaration {
    /// Why the next page may not begin where the one before ended, with what to do; nil when it does.
    package var nextDoubt: String? {
        guard case .last(_, let field, isIncluded: false) = paging, !key.contains(field),
            fields.first(where: { $0.name == field })?.type != .json
        else { return nil }
        return
            "if several rows have the same \(field.withHyphens), a page that begins after it may leave some of them "
            + "out; name a field that no two rows share, such as the key, if the API accepts it, or write \"included\" "
            + "after the field if that page begins with the same value"
    }

    /// Why later syncs request the whole list although `since` is declared, with what to do; nil when they do not.
    package var sinceDoubt: String? {
        guard let since, fields.contains(where: { $0.origin == .place && key.contains($0.name) }) else {
            return nil
        }
        return
            "every sync requests the whole list, because the place of a row in it is part of the key, and newer rows "
            + "have other places; identify rows by their members"
            + (since.window == nil && since.start == nil ? ", or remove this line" : "")
    }

    /// Why the rows of two lists may have the same key although they differ, with what to do; nil when the key
    /// contains what distinguishes the lists, or is valid in the whole API.
    package var keyDoubt: String? {
        guard !isKeyOfAPI else { return nil }
        let origins = fields.filter { key.contains($0.name) }.map(\.origin)
        let isDistinct = origins.contains {
            switch $0 {
            case .parent, .argument: true
            case .path, .memberName, .place: false
            }
        }
        let missing = missingParentField(origins)
        guard !isDistinct || missing != nil else { return nil }
        let noun = name.withHyphens
        if let parent {
            let field = missing?.withHyphens ?? "id", owner = parent.withHyphens
            return
                "the \(plural) of two \(owner) may have the same key; add a field of the parent such as "
                + "\(noun).field.\(owner)-\(field) = TYPE {\(owner).\(field)} and name it in the key, or "
                + "state that the key is unique everywhere: \(noun).key-scope = api"
        }
        guard let argument = lists.lazy.flatMap(\.template.arguments).first?.withHyphens else { return nil }
        return "the lists of two values of {\(argument)} may have rows with the same key; add "
            + "\(noun).field.\(argument) = text {\(argument)} and name it in the key, or state that the key is unique "
            + "everywhere: \(noun).key-scope = api"
    }

    /// A field of the parent that the address names and the key lacks, although the key has another one of them: two
    /// pages of different books may have the same number.
    private func missingParentField(_ origins: [FieldDeclaration.Origin]) -> String? {
        let named = lists.first?.template.parameters.compactMap {
            if case .field(_, let field) = $0 { field } else { nil }
        }
        let present = origins.compactMap { if case .parent(let field) = $0 { field } else { nil } }
        guard let named, !present.isEmpty, present.allSatisfy(named.contains) else { return nil }
        return named.first { !present.contains($0) }
    }
}
