import PatchbayJSON

/// Finds what a document declares about pages.
extension DraftPaging {
    /// Finds the parameter of a document's list that has the name of a cursor in its answer.
    mutating func declaredCursor() -> Bool {
        let texts = members.filter { path, value in
            guard case .text = value, DraftPaging.spelled(path) != nil else { return false }
            return !DraftPaging.isAddress(path)
        }
        // A page may have both: the `next` beside a cursor is then an address.
        let named = texts.filter { Self.cursors.contains(DraftWords.folded($0.path.last ?? "")) }
        let options = samples.flatMap(\.options).filter(DraftPaging.isWord)
        for (path, _) in named + texts.filter({ DraftPaging.isNext($0.path) }) {
            let name = path.last ?? "", words = DraftWords.split(name)
            let names = [words.filter { $0 != "next" }.joined(), words.joined()] + Self.cursorParameters
            let found = names.lazy.filter { !$0.isEmpty }.compactMap { name in
                options.first { DraftWords.folded($0) == name }
            }
            .first
            guard let found, let spelled = DraftPaging.spelled(path) else { continue }
            parameters.insert(found)
            return set(
                "cursor \(found) \(spelled)",
                "the member \(spelled) looks like the cursor that \(DraftWords.shown(found)) takes")
        }
        return false
    }

    /// Finds a parameter that takes the key of the last row.
    mutating func declaredLast(_ key: (path: [String], field: String)?) -> Bool {
        let options = samples.flatMap(\.options).filter(DraftPaging.isWord)
        guard let key,
            let found = options.first(where: { name in
                let name = DraftWords.folded(name)
                return ["startingafter", "afterid"].contains(name) || name == "after" && more != nil
            })
        else { return false }
        parameters.insert(found)
        return set(
            "last \(found) \(key.field)",
            "the parameter \(DraftWords.shown(found)) probably takes the last row's \(key.field)")
    }
}
