import PatchbayCore
public import PatchbayDomain

/// A list named by words: a resource, and the arguments of the list.
///
///     let question = try gateway.question(gateway.resource("commits"), arguments: ["apple/swift-nio"])
///     for await answer in gateway.list(question) { ... }
///
/// The row that the list belongs to is looked up when the list is read; it is requested from the source when it is not
/// stored, or when the handle is a former one.
public struct NamedQuestion: Hashable, Sendable {
    /// The resource whose rows the list contains.
    public let resource: Resource
    /// The name of the list; nil for the default list.
    package let list: String?
    /// The resource and the handle of the row that the list belongs to; nil when it belongs to none.
    package let parent: Parent?
    /// The arguments of the list in order, without the handle of ``parent``.
    package let arguments: [String]
    /// The value after which an ordered list is entered; 0 for its start.
    public var after: Int64

    /// The row that a list belongs to.
    package struct Parent: Hashable, Sendable {
        /// The resource of the row that the list belongs to, such as `repos` for a list of commits.
        package let resource: Resource
        /// The handle as it was given; it may be a former one.
        package let handle: String
    }

    /// The question for the list of this row.
    func question(of row: Item?) -> ListQuestion {
        var question = ListQuestion(resource, .list(list), arguments: arguments, parent: row)
        question.after = after
        return question
    }

    /// The question, resolved with stored rows; nil when the row that the list belongs to is not stored.
    func stored(in reading: borrowing Reading) throws -> ListQuestion? {
        guard let parent else { return question(of: nil) }
        return try reading.item(called: parent.handle, of: parent.resource).map { question(of: $0) }
    }
}

extension Gateway {
    /// Returns the question for a list named by words.
    ///
    /// - Parameters:
    ///   - list: the name of a list; nil for the default list.
    ///   - arguments: the arguments of the list in order, after the handle of the row that it belongs to, if any.
    ///   - value: the value after which an ordered list is entered; 0 for its start.
    /// - Throws: `unsupported` for a list that the resource does not have; `invalidValue` for a wrong number of
    ///   arguments, a handle with a wrong number of parts, or a value when the list cannot be entered there.
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
        if let parent, !parent.isShownByKey { _ = try parent.parts(ofHandle: arguments[0]) }
        return NamedQuestion(
            resource: resource, list: list,
            parent: parent.map { .init(resource: $0, handle: arguments[0]) },
            arguments: Array(arguments.dropFirst(handle.count)), after: value)
    }

    /// Finds the row that the list belongs to and returns the resolved question. Queries the source when the row is not
    /// stored, or when the handle is a former one, because that may belong to another row by now.
    func resolve(_ question: NamedQuestion, isConditional: Bool) async throws -> ListQuestion {
        guard let parent = question.parent else { return question.question(of: nil) }
        let row = try await listParent(
            parent.handle, of: parent.resource, isConditional: isConditional,
            isRefreshed: question.resource.declaration.parentField != nil)
        return question.question(of: row)
    }
}

extension Resource {
    /// - Throws: `unsupported` when there is no list with this name; the error names the known lists.
    func requireList(_ name: String?) throws -> ListDeclaration {
        if let found = declaration.list(named: name) { return found }
        let names = declaration.lists.compactMap(\.name).joined(separator: ", ")
        throw PatchbayError(
            .unsupported,
            name.map {
                "\(plural) have no list \"\($0)\"; \(names.isEmpty ? "leave out its name" : "known: \(names)")"
            }
                ?? "\(plural) cannot be listed")
    }

    /// The placeholder for a handle in messages: `OWNER/NAME`.
    fileprivate var handleWords: String {
        declaration.handle?.parts.joined(separator: "/") ?? singular.uppercased()
    }
}

extension ListQuestion {
    /// The name of the list in messages.
    var title: String {
        switch subject {
        case .list(let list):
            let words = (parent.map { [$0.handle] } ?? []) + arguments
            return (list.map { "\($0) " } ?? "") + resource.plural
                + (words.isEmpty ? "" : " of " + words.joined(separator: " "))
        case .search(let text): return "\(resource.plural) found by \(text)"
        }
    }
}
