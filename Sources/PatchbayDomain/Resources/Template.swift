import PatchbayCore

/// A path with its query, with values for the words in braces: `/users/{login}/repos?per_page=100`.
package struct Template: Hashable, Sendable {
    /// What a word in braces stands for.
    package enum Parameter: Hashable, Sendable {
        /// A value that the caller passes under this name: `{login}`.
        case argument(String)
        /// A field of the stored row to which the list belongs: `{repos.name}`.
        case field(resource: String, field: String)
        /// The handle of one row: `{handle}`. Slashes between its parts stay.
        case handle
        /// The row's key, of one field, for an API that does not find rows by their handles: `{key}`.
        case key
        /// The search text: `{text}`.
        case text
        /// The start of a request in an ordered list: `{after}`.
        case after
        /// The time from which rows are requested: `{since}`, `{since:date}`.
        case since(TimeForm)
        /// The time up to which rows are requested, the end of a window: `{until}`.
        case until(TimeForm)
        /// A setting of the definition, which the configuration replaces: `{subdomain}`.
        case setting(String)
    }

    /// The words in braces that have a meaning of their own, so that no setting may have their names.
    package static let reservedWords = ["since", "until", "after", "handle", "key", "text"]

    /// A part of the text.
    package enum Piece: Hashable, Sendable {
        case literal(String)
        case parameter(Parameter)
    }

    /// The literal texts and the parameters, in order.
    package let pieces: [Piece]

    /// Creates a template. Its literal texts are used unchanged, so those of a path must be percent-encoded.
    package init(_ pieces: [Piece]) { self.pieces = pieces }

    /// The parameters in order, as often as they occur.
    package var parameters: [Parameter] {
        pieces.compactMap { if case .parameter(let parameter) = $0 { parameter } else { nil } }
    }

    /// The names of the arguments that a caller passes, in order, each once.
    package var arguments: [String] {
        var names: [String] = []
        for case .argument(let name) in parameters where !names.contains(name) { names.append(name) }
        return names
    }

    /// The resource whose row a list with this address belongs to; nil when it belongs to none.
    package var parent: String? {
        for case .field(let resource, _) in parameters { return resource }
        return nil
    }

    /// The field of a stored row that takes the place of an address: `{issues.labels}`. An address begins with a slash.
    var storedField: String? {
        guard pieces.count == 1, case .parameter(.field(_, let field)) = pieces[0] else { return nil }
        return field
    }

    /// The text with a value for each parameter, inserted unchanged.
    package func expanded(_ value: (Parameter) throws -> String) rethrows -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .parameter(let parameter): text += try value(parameter)
            }
        }
        return text
    }
}

extension Template: CustomStringConvertible {
    /// The spelling in a definition, with the parameters in braces.
    package var description: String { expanded { "{\($0.description)}" } }
}

extension Template.Parameter: CustomStringConvertible {
    /// The spelling in a definition, without braces.
    package var description: String {
        switch self {
        case .argument(let name): name
        case .field(let resource, let field): "\(resource).\(field.withHyphens)"
        case .handle: "handle"
        case .key: "key"
        case .text: "text"
        case .after: "after"
        case .since(let form): "since\(form.suffix)"
        case .until(let form): "until\(form.suffix)"
        case .setting(let name): name.withHyphens
        }
    }
}

extension TimeForm {
    /// The spelling after a word in braces, where spaces are percent-encoded.
    fileprivate var suffix: String {
        self == .iso8601 ? "" : ":" + PercentEncoding.encoded(description) { $0 <= 0x20 }
    }
}

extension Template {
    /// Whether the address contains the time from which, or up to which, rows are requested.
    package var hasSince: Bool {
        parameters.contains { if case .since = $0 { true } else { false } }
    }

    package var hasUntil: Bool {
        parameters.contains { if case .until = $0 { true } else { false } }
    }

    /// The names of the settings that it needs.
    var settings: [String] {
        parameters.compactMap { if case .setting(let name) = $0 { name } else { nil } }
    }

    /// Replaces settings by their values, percent-encoded.
    func applying(_ values: [String: String]) -> Template {
        var result: [Piece] = []
        for piece in pieces {
            guard case .parameter(.setting(let name)) = piece, let value = values[name] else {
                result.append(piece)
                continue
            }
            result.append(.literal(PercentEncoding.segment(value)))
        }
        return Template(result.joiningLiterals)
    }
}

extension [Template.Piece] {
    /// The same with one literal for those that follow one another.
    fileprivate var joiningLiterals: [Template.Piece] {
        reduce(into: []) { pieces, piece in
            if case .literal(let text) = piece, case .literal(let before)? = pieces.last {
                pieces[pieces.count - 1] = .literal(before + text)
            } else {
                pieces.append(piece)
            }
        }
    }
}

extension Template {
    /// Whether an argument has this name, spelled with hyphens or underscores.
    package func takes(_ argument: String) -> Bool {
        arguments.contains { $0.withUnderscores == argument.withUnderscores }
    }
}

extension ListQuestion {
    /// The value of the argument of a list with this name; nil when the list has none.
    package func argument(_ name: String) -> String? {
        guard case .list(let list) = subject,
            let names = resource.declaration.list(named: list)?.template.arguments,
            let place = names.firstIndex(where: { $0.withUnderscores == name }),
            arguments.indices.contains(place)
        else { return nil }
        let value = arguments[place]
        return resource.declaration.ignoresCase ? value.lowercased() : value
    }
}
