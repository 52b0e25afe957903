import PatchbayCore

/// An API as a definition describes it: its address, how requests are authorised, how errors are distinguished, and its
/// resources.
package struct Definition: Sendable {
    /// The prefix of the API's collections: `github` in `github_users`.
    package var api: String
    /// One line for `patchbay plugins list`.
    package var summary: String?
    /// The address of the API when `source.base-url` is not set.
    package var baseURL: String?
    /// The values that the address, paths and headers need from the configuration, by name, and what each is.
    package var settings: [(name: String, meaning: String)] = []
    /// The names of the settings, with underscores.
    var settingNames: Set<String> { Set(settings.map(\.name)) }
    /// How `source.token` is sent; by default it is not.
    package var authorization = Authorization.none
    /// How `source.second-token` is sent; by default it is not.
    package var secondAuthorization = Authorization.none
    /// Header fields sent with every request, in order; without the authorisation.
    package var headers: [(name: String, value: String)] = []
    /// The hosts that serve this API, for recordings. A `*` matches any characters, but at least one.
    package var hosts: [String] = []
    /// The path that `doctor` requests.
    package var check: Template?
    /// A pace that the API does not report in headers.
    package var pace: Pace?
    /// Whether requests that differ only in letter case mean the same.
    package var ignoresCase = false
    /// The errors that the API reports, and their meanings.
    package var errors = ErrorRules()
    /// The settings that replaced their names, as `NAME=VALUE`. Answers and interrupted syncs of other settings are not
    /// those of these.
    package var givenSettings: [String] = []
    /// The collections that the API provides, in the order of their first lines in a definition file.
    package var resources: [ResourceDeclaration]

    /// Creates a definition without an address, hosts or authorisation; set them afterwards.
    package init(api: String, resources: [ResourceDeclaration]) {
        self.api = api
        self.resources = resources
    }

    /// How `source.token` is sent.
    package enum Authorization: Hashable, Sendable {
        case none
        case bearer
        /// As user name and password, `NAME:PASSWORD` (RFC 7617).
        case basic
        /// In a header, directly after the prefix, such as `Token token=` or, with its space, `Token `.
        case header(name: String, prefix: String?)
        case query(name: String)
    }

    /// Returns the declaration of a resource; nil when the API has none of that name.
    package func resource(named name: String) -> ResourceDeclaration? {
        resources.first { $0.name == name }
    }

    /// Whether a host serves this API.
    package func isSpoken(by host: String) -> Bool { Definition.isSpoken(by: host, hosts: hosts) }

    static func isSpoken(by host: String, hosts: [String]) -> Bool {
        let host = host.lowercased()
        return hosts.contains { Definition.matches($0.lowercased()[...], host[...]) }
    }

    private static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return text.indices.dropFirst().contains { matches(pattern.dropFirst(), text[$0...]) }
                || (pattern.count == 1 && !text.isEmpty)
        }
        return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
    }
}

/// How an API's errors are distinguished.
package struct ErrorRules: Sendable {
    /// What marks an answer below 400 as an error: Slack's `not ok`. Nil when the definition does not say.
    package var mark: Mark?
    /// The place of the error's text or code.
    package var text: JSONPath?
    /// The places of further details: GitHub's `errors/*/message`.
    package var details: [JSONPath] = []
    /// The place of the time to wait before the next request, as ``RetryAfter`` reads it.
    package var wait: JSONPath?
    /// The texts and statuses of each meaning.
    package var words: [Meaning: [String]] = [:]

    /// Creates rules that mark no answer as an error and add no meanings to those of HTTP statuses.
    package init() {}

    /// A place in a body that marks an error.
    package enum Mark: Hashable, Sendable {
        /// No answer below 400 is an error, whatever its members are called.
        case none
        /// The body is an error if this place has a value other than null, false, zero or empty.
        case present(JSONPath)
        /// The body is an error unless this place has a value other than null, false, zero or an empty text.
        case absent(JSONPath)
    }

    /// What an error means.
    package enum Meaning: String, Hashable, Sendable, CaseIterable {
        case unauthorized, offline, removed
        case permissionDenied = "permission-denied"
        case notFound = "not-found"
        case rateLimited = "rate-limited"
        case invalidValue = "invalid-value"
        /// The cursor is void; the list is requested again from its start.
        case restart
    }

    /// Returns the meaning of a text or a status; nil when no rule names it.
    package func meaning(of word: String) -> Meaning? {
        words.first { $0.value.contains(word) }?.key
    }
}

extension Definition {
    /// The lines that are valid but may lose rows or have no effect: keys that may not distinguish the rows of two
    /// lists, pages that may not begin where the one before ended, and lists that cannot be requested from a time on;
    /// with the reason and what to do.
    package var doubts: [(key: String, doubt: String)] {
        resources.flatMap { resource in
            [
                ("key", resource.keyDoubt), (resource.isKeyOfAPI ? "key-scope" : "key", resource.withinDoubt),
                ("next", resource.nextDoubt), ("since", resource.sinceDoubt),
            ].compactMap { line, doubt in
                doubt.map { ("\(resource.name.withHyphens).\(line)", $0) }
            }
        }
    }
}

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
            let wanted = missing ?? "id", field = wanted.withHyphens, owner = parent.withHyphens
            let declared = fields.first { $0.origin == .parent(field: wanted) }
            let advice =
                declared.map { "name \($0.name.withHyphens) in the key" }
                ?? "add a field of the parent such as \(noun).field.\(owner)-\(field) = TYPE {\(owner).\(field)} and "
                + "name it in the key"
            return
                "the \(plural) of two \(owner) may have the same key; \(advice), or state that the key is unique "
                + "everywhere: \(noun).key-scope = api"
        }
        guard let argument = lists.lazy.flatMap(\.template.arguments).first?.withHyphens else { return nil }
        // A search has no such argument, so its rows could not have the field.
        let advice =
            search == nil
            ? "add \(noun).field.\(argument) = text {\(argument)} and name it in the key, or " : ""
        return
            "the lists of two values of {\(argument)} may have rows with the same key; \(advice)state that the key "
            + "is unique everywhere: \(noun).key-scope = api"
    }

    /// The fields at the beginning of the key that only the rows of one list share: those with values of its parent and
    /// of all its arguments. Empty if the key does not begin with them.
    package var keyOfList: [FieldDeclaration] {
        guard let template = list(named: nil)?.template else { return [] }
        var hasParent = template.parent == nil, arguments = Set(template.arguments.map(\.withUnderscores))
        var leading: [FieldDeclaration] = []
        for name in key {
            guard let field = fields.first(where: { $0.name == name }) else { break }
            switch field.origin {
            case .parent: hasParent = true
            case .argument(let argument): arguments.remove(argument)
            case .path, .memberName, .place: return hasParent && arguments.isEmpty ? leading : []
            }
            leading.append(field)
        }
        return hasParent && arguments.isEmpty ? leading : []
    }

    /// Why rows that leave the list of a parent or of an argument stay listed, with what to do; nil when the list shows
    /// that they are gone.
    package var withinDoubt: String? {
        guard within == nil, keyOfList.isEmpty, keyDoubt == nil, let template = list(named: nil)?.template
        else {
            return nil
        }
        let noun = name.withHyphens
        let end =
            "if no row is in the lists of two of them, name the field that has one value in each list: "
            + "\(noun).within = FIELD, which may be \(noun).field."
        if let parent = template.parent {
            let owner = parent.withHyphens
            return
                "a row that leaves its list stays listed, also after the row of \(owner) is gone to which the list "
                + "belongs; \(end)\(owner)-id = TYPE {\(owner).id}"
        }
        return template.arguments.first.map { argument in
            let value = argument.withHyphens
            return "a row that leaves the list of a \(value) stays listed; \(end)\(value) = text {\(value)}"
        }
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
