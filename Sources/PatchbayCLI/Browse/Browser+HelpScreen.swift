extension Browser {
    /// The keys; on a small terminal as many as fit.
    var helpLines: [BrowserScreen.Line] {
        let keys: [(String, String)] = [
            ("↑ ↓, k j", "one user up or down"), ("PageUp PageDown", "one screen; Space goes down, too"),
            ("Home End", "the first user; the last one that is stored"),
            ("g", "go to an id, stored or not"), ("/", "find stored logins and names that begin with a text"),
            ("Enter →", "the user's detail, fetched when it is missing"), ("Esc ←", "back"),
            ("e", "edit the name; an empty one reverts to the source's"),
            ("f", "mark as a favourite, or not"),
            ("r", "ask the source about what is shown"), ("Ctrl-L", "paint the screen again"),
            ("Ctrl-Z", "to the shell; \"fg\" comes back"), ("q, Ctrl-C", "quit"),
        ]
        let marks = "* is a favourite, ~ an edited name; ids before a ^ were never fetched."
        return (isRoomy ? [line("")] : []) + keys.map { line("  " + padded($0, to: 18) + $1) }
            + [
                line(""), line("  " + marks),
                line("  Going up shows stored users; going down asks the source where none are."),
            ]
    }
}
