import Patchbay

extension Browser {
    /// The list of keys, cut to the height of the terminal.
    var helpLines: [BrowserScreen.Line] {
        let one = resource.singular
        let words = SearchWords(resource.declaration).plural
        let isOrdered = resource.order != nil
        let edits = editable.count == 1 ? "the \(editable[0].name.withSpaces)" : "a field"
        let keys: [(String, String)?] = [
            ("↑ ↓, k j", "one \(one) up or down\(ring == nil ? "" : "; the ring turns at its edges")"),
            ("PageUp PageDown", "one screen; Space also goes down"),
            ("Home End", "the first \(one); the last stored one"),
            isOrdered ? ("g", "go to \(orderWord.withArticle), stored or not") : nil,
            ("/", "filter stored \(words) by their beginnings"),
            orders.isEmpty ? nil : ("s", "show stored \(resource.plural) in the next order"),
            ("Enter →", "the \(one)'s details, fetched if they are missing"), ("Esc ←", "back"),
            editable.isEmpty ? nil : ("e", "edit \(edits); an empty text reverts to the source's"),
            ("f", "add to or remove from favourites"),
            ("r", "refresh the shown rows from the source"), ("Ctrl-L", "redraw the screen"),
            ("Ctrl-Z", "suspend; \"fg\" resumes"), ("q, Ctrl-C", "quit"),
        ]
        let edited = editable.isEmpty ? "" : ", ~ an edited \(editable.count == 1 ? editable[0].name : "one")"
        let gaps = isOrdered ? "; \(orderWord)s before a ^ were never fetched" : ""
        let marks = "* is a favourite\(edited)\(gaps)."
        return (isRoomy ? [line("")] : [])
            + keys.compactMap(\.self).map { line("  " + padded($0, to: 18) + $1) }
            + [
                line(""), line("  " + marks),
                line(
                    "  Going up shows stored \(resource.plural); going down also fetches missing ones."),
            ]
    }
}
