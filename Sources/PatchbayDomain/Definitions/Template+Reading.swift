import PatchbayCore

extension Template {
    /// The address that a template is for, which determines its parameters.
    package enum Place {
        /// `NAME.path`: arguments, fields of a parent, `{after}`, `{since}`, `{until}`.
        case list
        /// `NAME.show`: `{handle}` or `{key}`.
        case show
        /// `NAME.search`: `{text}` only.
        case search
        /// `check`: none.
        case fixed
    }

    /// Reads `/users/{login}/repos?per_page=100`.
    ///
    /// A word in braces is `{handle}`, `{key}`, `{text}`, `{after}`, `{since:FORM}`, `{until:FORM}`, a field of another
    /// resource (`{repos.name}`), a setting of the definition or an argument.
    package init(
        reading text: String, in place: Place, settings: Set<String> = []
    ) throws(DefinitionFault) {
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            throw DefinitionFault(
                "\"\(text)\" does not begin with one slash; write a path such as /users?limit=100")
        }
        guard text.isVisibleASCII, !text.utf8.contains(UInt8(ascii: "#")) else {
            throw DefinitionFault(
                "\"\(text)\" contains characters that are not allowed in a path; percent-encode them (%20)")
        }
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw DefinitionFault("\"\(text)\" has a brace that is not closed")
            }
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            let word = rest[rest.index(after: open)..<close]
            pieces.append(.parameter(try Template.parameter(word, in: place, settings)))
            rest = rest[rest.index(after: close)...]
        }
        guard !rest.contains("}") else {
            throw DefinitionFault("\"\(text)\" has a closing brace without an opening one")
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        self.init(pieces)
    }

    /// Reads `{issues.labels}`, the field of another resource's rows that contains the rows of a list.
    package init(readingField text: String) throws(DefinitionFault) {
        let parts = DefinitionWords.parts(text.dropFirst().dropLast(), at: ".")
        guard text.hasPrefix("{"), text.hasSuffix("}"), parts.count == 2 else {
            throw DefinitionFault("\"\(text)\" is not a field of another resource; write {RESOURCE.FIELD}")
        }
        let resource = try DefinitionWords.name(parts[0])
        self.init([.parameter(.field(resource: resource, field: try DefinitionWords.name(parts[1])))])
    }

    private static func parameter(
        _ word: Substring, in place: Place, _ settings: Set<String>
    ) throws(DefinitionFault) -> Parameter {
        if settings.contains(word.withUnderscores) { return .setting(word.withUnderscores) }
        if let time = try time(word, in: place) { return time }
        switch (word, place) {
        case ("handle", .show): return .handle
        case ("key", .show): return .key
        case ("text", .search): return .text
        case ("after", .list): return .after
        case ("handle", _): throw DefinitionFault("{handle} is for the address of one row (show)")
        case ("text", _): throw DefinitionFault("{text} is for a search")
        case ("after", _): throw DefinitionFault("{after} is for a list (path)")
        case (_, .list): break
        default:
            let allowed = place == .show ? "{handle} or {key}" : place == .search ? "{text}" : "no parameter"
            throw DefinitionFault("{\(word)} has no value here; this address takes \(allowed) only")
        }
        let parts = DefinitionWords.parts(word, at: ".")
        switch parts.count {
        case 1:
            _ = try DefinitionWords.name(word)
            let known = settings.map(\.withHyphens).sorted() + ["since", "until"]
            if let meant = EditDistance.nearest(to: String(word), in: known) {
                throw DefinitionFault(
                    "{\(word)} is almost {\(meant)}; correct it, or give the argument a more different name")
            }
            return .argument(String(word))
        case 2:
            return .field(
                resource: try DefinitionWords.name(parts[0]), field: try DefinitionWords.name(parts[1]))
        default: throw DefinitionFault("{\(word)} is neither an argument nor a field such as {repos.name}")
        }
    }

    /// `since` or `until`, with a form after a colon; nil for any other word.
    private static func time(_ word: Substring, in place: Place) throws(DefinitionFault) -> Parameter? {
        let parts = DefinitionWords.parts(word, at: ":", max: 2)
        guard parts[0] == "since" || parts[0] == "until" else { return nil }
        guard place == .list else { throw DefinitionFault("{\(word)} is for a list (path)") }
        let form: TimeForm =
            parts.count == 1 ? .iso8601 : try TimeForm(reading: PercentEncoding.decoded(parts[1]))
        return parts[0] == "since" ? .since(form) : .until(form)
    }
}
