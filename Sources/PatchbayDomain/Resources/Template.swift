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
    }

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
        }
    }
}
