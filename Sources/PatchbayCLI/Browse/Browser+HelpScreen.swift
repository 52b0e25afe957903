import PatchbayDomain

extension Browser {
    /// The keys; on a small terminal as many as fit.
    var helpLines: [BrowserScreen.Line] {
        let one = resource.singular
        let words = SearchWords(resource.declaration).plural
        let isOrdered = resource.order != nil
        let edits = editable.count == 1 ? "the \(editable[0].name.replacing("_", with: " "))" : "a field"
        let keys: [(String, String)?] = [
            ("↑ ↓, k j", "one \(one) up or down"), ("PageUp PageDown", "one screen; Space goes down, too"),
            ("Home End", "the first \(one); the last one that is stored"),
            isOrdered ? ("g", "go to \(orderWord.withArticle), stored or not") : nil,
            ("/", "find stored \(words) that begin with a text"),
            ("Enter →", "the \(one)'s detail, fetched when it is missing"), ("Esc ←", "back"),
            editable.isEmpty ? nil : ("e", "edit \(edits); an empty one reverts to the source's"),
            ("f", "mark as a favourite, or not"),
            ("r", "ask the source about what is shown"), ("Ctrl-L", "paint the screen again"),
            ("Ctrl-Z", "to the shell; \"fg\" comes back"), ("q, Ctrl-C", "quit"),
        ]
        let edited = editable.isEmpty ? "" : ", ~ an edited \(editable.count == 1 ? editable[0].name : "one")"
        let gaps = isOrdered ? "; \(orderWord)s before a ^ were never fetched" : ""
        let marks = "* is a favourite\(edited)\(gaps)."
        return (isRoomy ? [line("")] : [])
            + keys.compactMap(\.self).map { line("  " + padded($0, to: 18) + $1) }
            + [
                line(""), line("  " + marks),
                line(
                    "  Going up shows stored \(resource.plural); going down asks the source where none are."),
            ]
    }
}
