import PatchbayDomain
import PatchbayJSON

/// Finds how pages follow from the parameters that a document declares.
extension DraftPaging {
    /// The parameters of a document's lists that may take a cursor.
    private var options: [String] { samples.flatMap(\.options).filter(DraftPaging.isWord) }

    /// Finds the parameter of a document's list that has the name of a cursor in its answer.
    mutating func declaredCursor() -> Bool {
        let texts = members.filter { path, value in
            guard case .text = value, DraftPaging.spelled(path) != nil else { return false }
            return !DraftPaging.isAddress(path)
        }
        // A page may have both: the `next` beside a cursor is then an address.
        let named = texts.filter { Self.cursors.contains(DraftWords.folded($0.path.last ?? "")) }
        let options = options
        for (path, _) in named + texts.filter({ DraftPaging.isNext($0.path) }) {
            let name = path.last ?? "", words = DraftWords.split(name)
            let names = [words.filter { $0 != "next" }.joined(), words.joined()] + Self.cursorParameters
            let found = names.lazy.filter { !$0.isEmpty }.compactMap { name in
                options.first { DraftWords.folded($0) == name }
            }
            .first
            guard let found, let spelled = DraftPaging.spelled(path) else { continue }
            return set(
                "cursor \(found) \(spelled)", sending: [found],
                "the member \(spelled) looks like the cursor that \(DraftWords.shown(found)) takes")
        }
        return false
    }

    /// Finds a parameter that takes the key of the last row.
    mutating func declaredLast() -> Bool {
        guard let key,
            let found = options.first(where: { name in
                let name = DraftWords.folded(name)
                return ["startingafter", "afterid"].contains(name) || name == "after" && more != nil
            })
        else { return false }
        return set(
            "last \(found) \(key.field)", sending: [found],
            "the parameter \(DraftWords.shown(found)) probably takes the last row's \(key.field)")
    }
}
