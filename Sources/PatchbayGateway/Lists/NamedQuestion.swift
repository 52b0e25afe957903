import PatchbayCore
public import PatchbayDomain

/// A list as people name it: a resource, and words for what the list needs.
///
///     let question = try gateway.question(gateway.resource("commits"), arguments: ["apple/swift-nio"])
///     for await answer in gateway.list(question) { ... }
///
/// The row that the list belongs to is looked up when the list is read; the source is asked for it when it is not
/// stored, or when the handle is a former one.
public struct NamedQuestion: Hashable, Sendable {
    public let resource: Resource
    /// The name of the list; nil is the one that is meant when no other is named.
    public let list: String?
    /// The resource and the handle of the row that the list belongs to; nil when it belongs to none.
    public let parent: Parent?
    public let arguments: [String]
    /// Where a list that comes in an order is entered; 0 is its start.
    public var after: Int64

    /// The row that a list belongs to.
    public struct Parent: Hashable, Sendable {
        public let resource: Resource
        public let handle: String
    }

    /// The question about the list of this row.
    func question(of row: Item?) -> ListQuestion {
        var question = ListQuestion(resource, .list(list), arguments: arguments, parent: row)
        question.after = after
        return question
    }

    /// The question as far as it is known from what is stored; nil when the row that the list belongs to is not.
    func stored(in reading: borrowing Reading) throws -> ListQuestion? {
        guard let parent else { return question(of: nil) }
        return try reading.item(called: parent.handle, of: parent.resource).map { question(of: $0) }
    }

    /// What messages call the list.
    var title: String { resource.listTitle(list, of: (parent.map { [$0.handle] } ?? []) + arguments) }
}

extension Gateway {
    /// A question as people give it.
    ///
    /// - Parameters:
    ///   - list: the name of a list; nil is the one that is meant when no other is named.
    ///   - arguments: what the list needs, in its order. First of all the handle of the row that it belongs to.
    ///   - value: where a list that comes in an order is entered; 0 is its start.
    /// - Throws: `unsupported` for a list that the resource does not have; `invalidValue` when the number of arguments
    ///   is another, or for a place in a list that comes in no order.
    public func question(
        _ resource: Resource, list: String? = nil, arguments: [String] = [], after value: Int64 = 0
    ) throws -> NamedQuestion {
        let template = try resource.requireList(list).template
        let parent = try template.parent.map { try self.resource($0) }
        let handle = parent.map { [$0.handleWords] } ?? []
        let names = handle + template.arguments.map { $0.uppercased() }
        guard arguments.count == names.count else {
            let given =
                arguments.isEmpty ? "none was" : arguments.map { "\"\($0)\"" }.joined(separator: " ") + " was"
            throw PatchbayError(
                .invalidValue,
                names.isEmpty
                    ? "the list of \(resource.plural) takes no argument, and \(given) given"
                    : "the list of \(resource.plural) needs \(names.joined(separator: " ")), and \(given) given"
            )
        }
        guard value == 0 || value > 0 && template.parameters.contains(.after) else {
            throw PatchbayError(
                .invalidValue, "the list of \(resource.plural) cannot be entered after \(value)")
        }
        return NamedQuestion(
            resource: resource, list: list,
            parent: parent.map { .init(resource: $0, handle: arguments[0]) },
            arguments: Array(arguments.dropFirst(handle.count)), after: value)
    }

    /// Finds out which row a question is about, then gives the question. The source is asked when the row is not
    /// stored, or when the handle is a former one: it may belong to another row by now.
    func ask(_ question: NamedQuestion, isConditional: Bool) async throws -> ListQuestion {
        guard let parent = question.parent else { return question.question(of: nil) }
        let row = try await details(of: parent.resource)
            .present(parent.handle, isConditional: isConditional)
        return question.question(of: row)
    }
}

extension Resource {
    /// - Throws: `unsupported` when there is none with this name; the error names those there are.
    fileprivate func requireList(_ name: String?) throws -> ListDeclaration {
        let lists = declaration.lists
        if let found = lists.first(where: { $0.name == name }) { return found }
        if name == nil, let first = lists.first { return first }
        let names = lists.compactMap(\.name).joined(separator: ", ")
        throw PatchbayError(
            .unsupported,
            name.map {
                "there is no list \"\($0)\" of \(plural); there is \(names.isEmpty ? "one only" : names)"
            }
                ?? "\(plural) cannot be listed")
    }

    /// What people type to name a row, for messages: `OWNER/NAME`.
    fileprivate var handleWords: String {
        declaration.handle?.parts.joined(separator: "/") ?? singular.uppercased()
    }

    /// What messages call a list.
    func listTitle(_ list: String?, of words: [String]) -> String {
        (list.map { "\($0) " } ?? "") + plural + (words.isEmpty ? "" : " of " + words.joined(separator: " "))
    }
}

extension Template {
    /// The resource whose row a list belongs to; nil when it belongs to none.
    fileprivate var parent: String? {
        for case .field(let resource, _) in parameters { return resource }
        return nil
    }
}

extension ListQuestion {
    /// What messages call the list.
    var title: String {
        switch subject {
        case .list(let list): resource.listTitle(list, of: (parent.map { [$0.handle] } ?? []) + arguments)
        case .search(let text): "\(resource.plural) found by \(text)"
        }
    }
}
